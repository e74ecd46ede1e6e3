import Foundation
import TestSupport

/// Programs for tests, compiled from C with the Swift toolchain's own clang: no C library, the
/// system calls are declared by hand.
enum WasmPrograms {
    struct Failed: Error {
        let message: String
    }

    /// Prints its arguments and its environment, one a line, and exits with the number of its
    /// arguments.
    static let echoArguments = Result {
        try compile(
            """
            #define WASI(name) __attribute__((import_module("wasi_snapshot_preview1"), import_name(name)))
            typedef unsigned char u8; typedef unsigned int u32;
            WASI("args_sizes_get") int args_sizes_get(u32 *count, u32 *size);
            WASI("args_get") int args_get(u8 **list, u8 *text);
            WASI("environ_sizes_get") int environ_sizes_get(u32 *count, u32 *size);
            WASI("environ_get") int environ_get(u8 **list, u8 *text);
            WASI("fd_write") int fd_write(u32 fd, const void *vectors, u32 count, u32 *written);
            WASI("proc_exit") _Noreturn void proc_exit(u32 code);
            static u8 *list[64]; static u8 text[4096];
            static void line(const u8 *start) {
                struct { const void *start; u32 count; } vectors[2] = {{start, 0}, {"\\n", 1}};
                while (start[vectors[0].count]) vectors[0].count++;
                u32 written;
                if (fd_write(1, vectors, 2, &written)) __builtin_trap();
            }
            __attribute__((export_name("_start"))) void start(void) {
                u32 arguments, variables, size;
                if (args_sizes_get(&arguments, &size) || args_get(list, text)) __builtin_trap();
                for (u32 i = 0; i < arguments; i++) line(list[i]);
                if (environ_sizes_get(&variables, &size) || environ_get(list, text)) __builtin_trap();
                for (u32 i = 0; i < variables; i++) line(list[i]);
                proc_exit(arguments);
            }
            """)
    }

    static func compile(_ source: String, flags: [String] = []) throws -> [UInt8] {
        let folder = try TemporaryDirectory("program")
        try folder.write(source, to: "p.c")
        let result = try ChildProcess.run(
            "clang",
            [
                "--target=wasm32-unknown-unknown", "-O1", "-ffreestanding", "-fno-builtin",
                "-nostdlib",
                "-Wl,--no-entry", "p.c",
                "-o", "p.wasm",
            ] + flags, in: folder.url)
        guard result.status == 0 else { throw Failed(message: result.standardError) }
        return [UInt8](try Data(contentsOf: folder.file("p.wasm")))
    }
}
