/** Heuristics read so much; it bounds what a hostile file can cost. */
const windowBytes = 8_192
/** Rules look for blanks and backtrack over them. None of them counts so many, and code is hardly indented deeper. */
const maxRunLength = 40
/** Many rules cost the square of a line's length, many others the number of lines times the length of the rest. */
const maxLineLength = 1_000
const maxLines = 500

/** The beginning of a file, decoded, without a byte order mark. */
export function contentStart(content: Buffer): string {
  const encoding = content[0] === 0xff && content[1] === 0xfe ? 'utf16le' : 'utf8'
  const text = content.toString(encoding, 0, windowBytes)
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

/** The same as rules can bear it: long lines cut, many lines too, long blanks as well. */
export function contentWindow(content: Buffer): string {
  const text = limitLines(contentStart(content))
  return hasLongRun(text) ? text.replace(/\s{41,}/g, shortened) : text
}

function limitLines(text: string): string {
  let start = 0
  let longest = 0
  for (let line = 0; line < maxLines; line++) {
    const end = text.indexOf('\n', start)
    longest = Math.max(longest, (end < 0 ? text.length : end) - start)
    start = end + 1
    if (end < 0) break
  }
  const limited = start > 0 ? text.slice(0, start) : text
  return longest > maxLineLength ? cutLines(limited) : limited
}

function cutLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.slice(0, maxLineLength))
    .join('\n')
}

/** A regular expression would look at every blank; a long run cannot hide between the places looked at here. */
function hasLongRun(text: string): boolean {
  for (let at = 0; at < text.length; at += maxRunLength) {
    if (!isBlank(text.charCodeAt(at))) continue
    let start = at
    let end = at
    while (isBlank(text.charCodeAt(start - 1))) start--
    while (isBlank(text.charCodeAt(end + 1))) end++
    if (end - start >= maxRunLength) return true
    at = end
  }
  return false
}

function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d)
}

function shortened(run: string): string {
  const lastLine = run.lastIndexOf('\n')
  return lastLine < 0 ? run.slice(0, maxRunLength) : `\n\n${run.slice(lastLine + 1, lastLine + 1 + maxRunLength)}`
}

/** The first and the last lines of a file, where a modeline may stand. */
export function edges(content: Buffer): [head: string, tail: string] {
  const head = content.toString('latin1', 0, 1_024)
  return [head, content.length > 1_024 ? content.toString('latin1', Math.max(1_024, content.length - 1_024)) : '']
}

/** As git decides it: a NUL near the beginning, unless a byte order mark announces UTF-16. */
export function isBinary(content: Buffer): boolean {
  if (hasUtf16Mark(content)) return false
  if (content.length >= 4 && signatures.has(content.readUInt32BE(0))) return true
  return content.subarray(0, 8_000).includes(0)
}

function hasUtf16Mark(content: Buffer): boolean {
  return (content[0] === 0xff && content[1] === 0xfe) || (content[0] === 0xfe && content[1] === 0xff)
}

/** Formats that may begin without a NUL. */
const signatures = new Set([
  0x25504446, // %PDF
  0x89504e47, // PNG
  0xffd8ffe0, // JPEG
  0xffd8ffe1,
  0xffd8ffdb,
  0x47494638, // GIF8
  0x504b0304, // zip and what is built on it
  0x1f8b0800, // gzip
  0x1f8b0808,
  0xfd377a58, // xz
  0x774f4646, // WOFF
  0x774f4632,
])

const pointer = Buffer.from('version https://git-lfs.github.com/spec/v1\n')

/** A Git LFS pointer: the content is stored elsewhere, so this text says nothing about the file. */
export function isLfsPointer(content: Buffer): boolean {
  return content.length < 1_024 && content.subarray(0, pointer.length).equals(pointer)
}

/** Names that are binary by themselves, for when the content is not at hand. */
export const binaryExtensions = new Set(
  (
    '.7z .a .apk .avif .bin .bmp .br .bz2 .class .dll .dmg .doc .docx .dylib .ear .eot .exe .flac .gif .gz .heic .icns ' +
    '.ico .jar .jks .jpeg .jpg .lib .m4a .mkv .mov .mp3 .mp4 .o .obj .ogg .onnx .otf .parquet .pdf .png .ppt .pptx ' +
    '.psd .pyc .pyd .rar .so .sqlite .sqlite3 .tar .tgz .tif .tiff .ttf .war .wasm .wav .webm .webp .woff .woff2 .xls ' +
    '.xlsx .xz .zip .zst'
  ).split(' '),
)
