import { download } from './csv.ts'

/** What an exported picture keeps of the style sheet. */
const kept = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'opacity',
  'font-size',
  'font-family',
  'font-weight',
]

/** Returns an SVG as a file of its own: the colors that the style sheet gives are written into it. */
function toFile(svg: SVGSVGElement): Blob {
  const copy = svg.cloneNode(true)
  if (!(copy instanceof SVGSVGElement)) throw new Error('The copy of a picture is no picture.')
  const originals = [svg, ...svg.querySelectorAll('*')]
  const copies = [copy, ...copy.querySelectorAll('*')]
  for (const [index, original] of originals.entries()) {
    const style = getComputedStyle(original)
    const target = copies[index]
    for (const name of kept) {
      const value = style.getPropertyValue(name)
      // Patterns are addressed within the file: browsers make absolute addresses of them.
      if (value !== '' && !original.hasAttribute(name)) target?.setAttribute(name, value)
    }
    target?.removeAttribute('class')
    target?.removeAttribute('href')
  }
  const { width, height } = svg.getBoundingClientRect()
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  copy.setAttribute('width', String(width))
  copy.setAttribute('height', String(height))
  return new Blob([new XMLSerializer().serializeToString(copy)], { type: 'image/svg+xml' })
}

export function saveSvg(svg: SVGSVGElement, name: string): void {
  download(`${name}.svg`, toFile(svg))
}

/** Draws an SVG with twice its pixels, on the color of its surroundings. */
export async function savePng(svg: SVGSVGElement, name: string): Promise<void> {
  const url = URL.createObjectURL(toFile(svg))
  try {
    const image = new Image()
    image.src = url
    await image.decode()
    const { width, height } = svg.getBoundingClientRect()
    const canvas = document.createElement('canvas')
    canvas.width = 2 * width
    canvas.height = 2 * height
    const context = canvas.getContext('2d')
    if (!context) return
    context.fillStyle = getComputedStyle(document.body).backgroundColor
    context.fillRect(0, 0, canvas.width, canvas.height)
    context.drawImage(image, 0, 0, canvas.width, canvas.height)
    await new Promise<void>((saved) => {
      canvas.toBlob((blob) => {
        if (blob) download(`${name}.png`, blob)
        saved()
      })
    })
  } finally {
    URL.revokeObjectURL(url)
  }
}
