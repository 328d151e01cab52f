import { z } from 'zod'

/**
 * A mail that somebody is to get. It waits in the queue, so it holds nothing secret: links are made when it is sent, and
 * that is also when it turns out whether the address has an account, so that asking for a mail never tells.
 */
export const MailJob = z.object({
  kind: z.enum([
    'verify_email',
    'reset_password',
    'sign_up_attempt',
    'password_changed',
    'invitation',
    'added_to_organization',
  ]),
  email: z.string(),
  /** Where the page behind the link leads on to; checked already, and checked again there. */
  callbackUrl: z.string().optional(),
})
export type MailJob = z.infer<typeof MailJob>
