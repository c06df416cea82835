/** Addresses in what people read. Pure. */

/** The user's name and password before the host; the last @ before the path ends them. */
const USER_INFO = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#"]*@/gi;

/** @returns the text with what stands between `://` and `@` in its addresses masked; masking twice is masking once */
export const withoutUserInfo = (text: string): string => text.replace(USER_INFO, '$1***@');
