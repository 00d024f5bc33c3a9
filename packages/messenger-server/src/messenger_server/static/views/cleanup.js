/** The clean-up window. */

/** Opens it, on one mailbox alone when its address is given. @param {string} [_address] */
export function openCleanup(_address) {}
