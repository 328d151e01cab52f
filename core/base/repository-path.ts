const maxLength = 1_024
/** Characters that are invisible, reorder text or are unassigned. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u
const unprintables = new RegExp(unprintable, 'gu')
/** Names that resolve to git's folder on some file system. */
const gitFolder = /^(?:\.git|git~\d+)$/i

/** Returns whether every character of the text is visible. */
export const isPrintable = (text: string) => !unprintable.test(text)

/** Returns whether the path stays inside a repository on every operating system, and is printable. */
export function isRepositoryPath(path: string): boolean {
  if (path.length > maxLength || !isPrintable(path) || path.includes('\\') || /^[A-Za-z]:/.test(path)) return false
  return path.split('/').every((name) => !/^\.{0,2}$|[. ]$/.test(name) && !gitFolder.test(name))
}

/** Cleans and shortens text of others for a message. */
export function shown(text: string, max = 200): string {
  const clean = text
    .slice(0, max * 4)
    .replace(unprintables, ' ')
    .trim()
  return clean.length > max ? `${clean.slice(0, max).toWellFormed()}…` : clean
}

/** Shortens text of others and replaces what Postgres does not accept. */
export function storable(text: string, max: number): string {
  return text.slice(0, max).replaceAll('\0', '\ufffd').toWellFormed()
}
