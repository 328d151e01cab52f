/** Contains only fixed text and validated addresses, because any client can make Assay send mail to any address. */
export interface MailText {
  subject: string
  text: string
}

const ending = (baseUrl: string) => ['', '-- ', `Assay at ${baseUrl}`, '']

const mail = (baseUrl: string, subject: string, lines: string[]): MailText => ({
  subject,
  text: [...lines, ...ending(baseUrl)].join('\n'),
})

export function verifyEmailText(baseUrl: string, email: string, link: string): MailText {
  return mail(baseUrl, 'Confirm your e-mail address', [
    `An account at Assay was created with the address ${email}.`,
    'If you created it, confirm that the address is yours: open this page and enter the password that you chose.',
    '',
    link,
    '',
    'The link is valid for 24 hours.',
    '',
    'If you did not create it, do not confirm. You can take the account over by resetting its password:',
    `${baseUrl}/forgot-password`,
  ])
}

export function resetPasswordText(baseUrl: string, email: string, link: string): MailText {
  return mail(baseUrl, 'Set a new password', [
    `Assay received a request to reset the password of the account ${email}.`,
    'To set a new password, open this page:',
    '',
    link,
    '',
    'The link works once and is valid for one hour. Setting a password ends every session. API tokens stay valid.',
    '',
    'If you did not request this, you can ignore this mail. Your password stays the same.',
  ])
}

export function signUpAttemptText(baseUrl: string, email: string): MailText {
  return mail(baseUrl, 'You already have an account', [
    `A sign-up at Assay used the address ${email}, but this address already has an account.`,
    'Nothing was changed.',
    '',
    'If you tried to sign up, sign in instead:',
    `${baseUrl}/sign-in`,
    '',
    'If you forgot the password or never set one, set a new one:',
    `${baseUrl}/forgot-password`,
    '',
    'If you did not try to sign up, you can ignore this mail.',
  ])
}

export function passwordChangedText(baseUrl: string, email: string): MailText {
  return mail(baseUrl, 'Your password was changed', [
    `The password of the account ${email} at Assay was changed.`,
    '',
    'If you did not change it, set a new password now, which ends every session, and check your API tokens:',
    `${baseUrl}/forgot-password`,
  ])
}

export function invitationText(baseUrl: string, email: string): MailText {
  return mail(baseUrl, 'You are invited to an organization', [
    `You (${email}) are invited to an organization at Assay.`,
    '',
    'If you have no account yet, sign up with this address and confirm it:',
    `${baseUrl}/sign-up`,
    '',
    'If you have an account, sign in and confirm its address:',
    `${baseUrl}/sign-in`,
    '',
    'If you did not expect this invitation, you can ignore this mail.',
  ])
}

export function addedToOrganizationText(baseUrl: string, email: string): MailText {
  return mail(baseUrl, 'You are now a member of an organization', [
    `The account ${email} was added to an organization at Assay. See it here:`,
    `${baseUrl}/`,
    '',
    'If you do not want to be a member, ask one of its admins, or leave it with organizations.removeMember.',
  ])
}
