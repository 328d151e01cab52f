import type { Tool as ListedTool } from '@modelcontextprotocol/server'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'

/** What a tool costs in every conversation: clients give the model its name, description and arguments. */
export const tokensOfTool = ({ name, description, inputSchema }: ListedTool) =>
  tokensOf(JSON.stringify({ name, description, inputSchema }))

export const tokensOf = (text: string) => encode(text).length
