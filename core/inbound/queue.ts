export const inboundQueue = 'inbound'
