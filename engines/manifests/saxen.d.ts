/** The part of saxen that is used here; the package carries no types of its own. */
declare module 'saxen' {
  type Decode = (text: string) => string

  export class Parser {
    on(
      event: 'openTag',
      handler: (name: string, attributes: () => Record<string, string>, decode: Decode, selfClosing: boolean) => void,
    ): this
    on(event: 'closeTag', handler: (name: string, decode: Decode, selfClosing: boolean) => void): this
    on(event: 'text', handler: (text: string, decode: Decode) => void): this
    on(event: 'cdata', handler: (text: string) => void): this
    on(event: 'error' | 'warn', handler: (error: Error) => void): this
    parse(xml: string): unknown
    stop(): void
  }
}
