import { z } from 'zod'

export const SymbolKind = z.enum(['function', 'method', 'class'])
export type SymbolKind = z.infer<typeof SymbolKind>
