const maxBytes = 32 * 2 ** 20
const maxContentBytes = 2 ** 19
/** What keeping one takes besides: a small one may hold the memory that it was cut from. */
const bytesBesides = 2 ** 12

/**
 * Contents that one analysis after the other asks for, by the ids of their blobs. The same content is the same object,
 * which nobody changes. What was not asked for the longest gives way. For one project only: whoever knows the id of a
 * content gets it.
 */
export class KeptContents {
  readonly #contents = new Map<string, Buffer>()
  #bytes = 0

  get(blobId: string): Buffer | undefined {
    const content = this.#contents.get(blobId)
    if (content) {
      this.#contents.delete(blobId)
      this.#contents.set(blobId, content)
    }
    return content
  }

  add(blobId: string, content: Buffer): void {
    if (content.length > maxContentBytes || this.#contents.has(blobId)) return
    this.#contents.set(blobId, content)
    this.#bytes += content.length + bytesBesides
    for (const [id, { length }] of this.#contents) {
      if (this.#bytes <= maxBytes) return
      this.#contents.delete(id)
      this.#bytes -= length + bytesBesides
    }
  }
}
