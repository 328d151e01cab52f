import { z } from 'zod'

/**
 * A queued mail. It contains no secret: links are created when the mail is sent. The account is looked up only then too,
 * so that requesting a mail does not reveal whether the address has an account.
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
  /** Where the linked page redirects to. Checked before queueing, and again by the page. */
  callbackUrl: z.string().optional(),
})
export type MailJob = z.infer<typeof MailJob>
