// What the texts of settings may look like. `~` has been replaced before a path is checked.

export const ANY = /^[^\0\n\r]+$/
export const WORD = /^[\x21-\x7e]+$/
export const HOST = /^[A-Za-z0-9._:[\]-]+$/
/** On either system. */
export const ABSOLUTE = /^(\/|[A-Za-z]:[\\/])[^\0\n\r]*$/
export const ABSOLUTE_OR_AUTO = /^(auto$|\/|[A-Za-z]:[\\/])[^\0\n\r]*$/
export const WORKSPACE = /^(scratch$|client$|\/|[A-Za-z]:[\\/])[^\0\n\r]*$/
