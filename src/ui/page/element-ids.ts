/** Id of the button that opens the file dialog. */
export const toMainId = (id: string): string => `${id}-main`

/** Id of the element with announcements for screen readers. */
export const toStatusId = (id: string): string => `${id}-status`

/** Id of the control that represents a component when a form is validated. */
export const toValidityId = (id: string): string => `${id}-validity`
