/** The hosts of URLs that are this computer by their name alone: nothing is looked up. */
export const LOOPBACK_HOST = /^(localhost|.+\.localhost|\[::1\]|127(\.\d{1,3}){3})$/;
