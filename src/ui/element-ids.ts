/** Id of the button that opens the file dialog. */
export const toMainId = (id: string): string => `${id}-main`

/** Id of the element that screen readers are told by. */
export const toStatusId = (id: string): string => `${id}-status`

/** Id of the control that stands for a component when a form is checked. */
export const toValidityId = (id: string): string => `${id}-validity`
