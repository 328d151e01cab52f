export const briefLines = (brief: unknown): string[] => [JSON.stringify(brief)]
