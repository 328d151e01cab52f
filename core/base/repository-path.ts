const maxLength = 1_024
/** What is invisible, reorders text or has no meaning of its own. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u
const unprintables = new RegExp(unprintable, 'gu')
/** Names that lead into git's own folder, also on file systems that take no account of case, or of dots at the end. */
const gitFolder = /^(?:\.git|git~\d+)$/i

/** Whether all of the text can be seen. */
export const isPrintable = (text: string) => !unprintable.test(text)

/** Whether the path names something inside a repository on every system, and can be shown as it is. */
export function isRepositoryPath(path: string): boolean {
  if (path.length > maxLength || !isPrintable(path) || path.includes('\\') || /^[A-Za-z]:/.test(path)) return false
  return path.split('/').every((name) => !/^\.{0,2}$|[. ]$/.test(name) && !gitFolder.test(name))
}

/** Text that others wrote, for a sentence of ours. */
export function shown(text: string, most = 200): string {
  const clean = text
    .slice(0, most * 4)
    .replace(unprintables, ' ')
    .trim()
  return clean.length > most ? `${clean.slice(0, most).toWellFormed()}…` : clean
}

/** Text that others wrote as the database takes it, cut to a length. */
export function storable(text: string, most: number): string {
  return text.slice(0, most).replaceAll('\0', '\ufffd').toWellFormed()
}
