#define _GNU_SOURCE
#include "CSpawn.h"

#include <fcntl.h>
#include <unistd.h>

int cspawn_private_pipe(int ends[2]) {
#ifdef __APPLE__
    if (pipe(ends) != 0) return -1;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return 0;
#else
    return pipe2(ends, O_CLOEXEC);
#endif
}

int cspawn_set_folder(posix_spawn_file_actions_t *actions, const char *folder) {
    return posix_spawn_file_actions_addchdir_np(actions, folder);
}

int cspawn_close_others(posix_spawn_file_actions_t *actions) {
#ifdef __APPLE__
    (void)actions;
    return 0;
#else
    return posix_spawn_file_actions_addclosefrom_np(actions, 3);
#endif
}
