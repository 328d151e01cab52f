/** The environment of programs of this machine that executors start outside of a sandbox. */
export const systemEnvironment = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }
