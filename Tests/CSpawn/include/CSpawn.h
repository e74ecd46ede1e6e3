// What the C library only declares for GNU sources, which Swift does not see.
#ifndef OPENPATCH_CSPAWN_H
#define OPENPATCH_CSPAWN_H

#include <spawn.h>

/// A pipe that no started program inherits; 0, or -1 with errno.
int cspawn_private_pipe(int ends[2]);

/// The program begins in this folder.
int cspawn_set_folder(posix_spawn_file_actions_t *actions, const char *folder);

/// The program begins without any open file from 3 on. (On Apple that is an attribute's flag.)
int cspawn_close_others(posix_spawn_file_actions_t *actions);

#endif
