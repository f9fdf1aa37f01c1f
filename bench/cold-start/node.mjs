// Nothing but Node itself.
void 0
