import { z } from 'zod'
import { User } from '../../users/schema.ts'

const minLength = 10
const maxLength = 256

/** Counts Unicode characters after the normalization that hashing applies. */
export const NewPassword = z
  .string()
  .refine((password) => {
    // Normalization makes text up to 18 times as long, so a text that is too long anyway is rejected before.
    if (password.length > 8 * maxLength) return false
    const { length } = Array.from(password.normalize('NFKC'))
    return length >= minLength && length <= maxLength
  }, `must have ${minLength} to ${maxLength} characters`)
  .describe(`${minLength} to ${maxLength} characters`)

/** A password to verify. It may predate the current rules. */
const GivenPassword = z.string().min(1).max(4_096)
const Email = z.string().min(1).max(1_000)
const ReturnAddress = z.string().min(1).max(2_048)
const OneTimeToken = z.string().min(1).max(200)

export const SignUp = z.object({
  email: Email,
  password: NewPassword,
  name: z.string().trim().max(100).optional(),
  callbackURL: ReturnAddress.optional(),
})
export type SignUp = z.infer<typeof SignUp>

/** `rememberMe` of better-auth clients is ignored: the configuration decides how long sessions last. */
export const SignIn = z.object({ email: Email, password: GivenPassword, callbackURL: ReturnAddress.optional() })
export type SignIn = z.infer<typeof SignIn>

export const ChangePassword = z.object({
  currentPassword: GivenPassword,
  newPassword: NewPassword,
  revokeOtherSessions: z.boolean().default(true),
})
export type ChangePassword = z.infer<typeof ChangePassword>

export const RequestPasswordReset = z.object({ email: Email, redirectTo: ReturnAddress.optional() })
export type RequestPasswordReset = z.infer<typeof RequestPasswordReset>

export const ResetPassword = z.object({ token: OneTimeToken, newPassword: NewPassword })
export type ResetPassword = z.infer<typeof ResetPassword>

export const SendVerificationEmail = z.object({ email: Email.optional(), callbackURL: ReturnAddress.optional() })
export type SendVerificationEmail = z.infer<typeof SendVerificationEmail>

export const VerifyEmail = z.object({ token: OneTimeToken, password: GivenPassword.optional() })
export type VerifyEmail = z.infer<typeof VerifyEmail>

/** Does not reveal whether the address has an account. */
export const Accepted = z.object({ status: z.literal(true), message: z.string() })
export type Accepted = z.infer<typeof Accepted>

export const Finished = z.object({ status: z.literal(true) })
export type Finished = z.infer<typeof Finished>

export const SignedIn = z.object({ redirect: z.literal(false), user: User })
export type SignedIn = z.infer<typeof SignedIn>

export const ChangedPassword = z.object({ status: z.literal(true), user: User })
export type ChangedPassword = z.infer<typeof ChangedPassword>
