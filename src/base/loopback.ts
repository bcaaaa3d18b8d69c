/** The hosts of URLs that are this computer wherever names are looked up. Those below `localhost` may lead elsewhere. */
export const OWN_HOST = /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/;
