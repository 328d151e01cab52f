import { expect, test } from 'vitest'
import { candidatePlaces } from './cgroups.ts'

test('finds the groups of version 1 by their controllers', () => {
  const mounts = [
    '30 29 0:26 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory',
    '31 29 0:27 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids',
    '32 29 0:28 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct',
  ].join('\n')
  expect(candidatePlaces(mounts, '4:memory:/a/b\n3:cpu,cpuacct:/\n2:pids:/a\n')).toEqual([
    {
      version: 1,
      memory: '/sys/fs/cgroup/memory/a/b',
      pids: '/sys/fs/cgroup/pids/a',
      cpuacct: '/sys/fs/cgroup/cpu,cpuacct',
    },
  ])
})

test('finds the group of version 2 and the one around it', () => {
  const mounts = '30 29 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw'
  expect(candidatePlaces(mounts, '0::/system.slice/assay.service\n')).toEqual([
    { version: 2, folder: '/sys/fs/cgroup/system.slice/assay.service' },
    { version: 2, folder: '/sys/fs/cgroup/system.slice' },
  ])
})

test('knows that a container may see only its own part', () => {
  const mounts = '30 29 0:26 /docker/x /sys/fs/cgroup ro - cgroup2 cgroup2 rw'
  expect(candidatePlaces(mounts, '0::/docker/x/inner\n')[0]).toEqual({ version: 2, folder: '/sys/fs/cgroup/inner' })
  expect(candidatePlaces('', '')).toEqual([])
})
