import { crc32, deflateSync, inflateSync } from 'node:zlib'

const signature = Buffer.from('89504e470d0a1a0a', 'hex')

/** Writes a PNG of the browser with a palette of 256 colors, which makes pictures of text less than half as large. */
export function withPalette(png: Buffer): Buffer {
  const { width, height, channels, pixels } = decode(png)
  const colorAt = (at: number) => ((pixels[at] ?? 0) << 16) | ((pixels[at + 1] ?? 0) << 8) | (pixels[at + 2] ?? 0)
  const counts = new Map<number, number>()
  for (let at = 0; at < pixels.length; at += channels) counts.set(colorAt(at), (counts.get(colorAt(at)) ?? 0) + 1)
  const palette = [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 256)
    .map(([color]) => color)
  const indexOf = new Map(palette.map((color, index) => [color, index]))
  for (const color of counts.keys()) if (!indexOf.has(color)) indexOf.set(color, nearest(palette, color))
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      rows[y * (width + 1) + 1 + x] = indexOf.get(colorAt((y * width + x) * channels)) ?? 0
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3], 8)
  const colors = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]))
  const parts: [string, Buffer][] = [
    ['IHDR', header],
    ['PLTE', colors],
    ['IDAT', deflateSync(rows, { level: 9 })],
    ['IEND', Buffer.alloc(0)],
  ]
  return Buffer.concat([signature, ...parts.map(([type, data]) => chunk(type, data))])
}

export function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

function nearest(palette: readonly number[], color: number): number {
  let [best, least] = [0, Infinity]
  for (const [index, other] of palette.entries()) {
    const [red, green, blue] = [16, 8, 0].map((shift) => ((color >> shift) & 255) - ((other >> shift) & 255))
    const distance = (red ?? 0) ** 2 + (green ?? 0) ** 2 + (blue ?? 0) ** 2
    if (distance < least) [best, least] = [index, distance]
  }
  return best
}

/** Reads what Chromium writes: 8 bits for each of three or four channels, not interlaced. */
function decode(png: Buffer): { width: number; height: number; channels: number; pixels: Buffer } {
  const data: Buffer[] = []
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(png.subarray(at + 8, at + 8 + length))
    at += length + 12
  }
  const [width, height, channels] = [png.readUInt32BE(16), png.readUInt32BE(20), png[25] === 6 ? 4 : 3]
  const raw = inflateSync(Buffer.concat(data))
  const stride = width * channels
  const pixels = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)] ?? 0
    for (let x = 0; x < stride; x++) {
      const left = x >= channels ? (pixels[y * stride + x - channels] ?? 0) : 0
      const above = y > 0 ? (pixels[(y - 1) * stride + x] ?? 0) : 0
      const corner = x >= channels && y > 0 ? (pixels[(y - 1) * stride + x - channels] ?? 0) : 0
      const predicted = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter] ?? 0
      pixels[y * stride + x] = (raw[y * (stride + 1) + 1 + x] ?? 0) + predicted
    }
  }
  return { width, height, channels, pixels }
}

function paeth(left: number, above: number, corner: number): number {
  const [ofLeft, ofAbove, ofCorner] = [above - corner, left - corner, left + above - 2 * corner].map(Math.abs)
  if (ofLeft === undefined || ofAbove === undefined || ofCorner === undefined) return left
  if (ofLeft <= ofAbove && ofLeft <= ofCorner) return left
  return ofAbove <= ofCorner ? above : corner
}
