internal import CLinux
internal import Glibc
public import SystemCalls
public import UnixSockets

/// Starts programs without a shell; they inherit only the given descriptors and environment.
public enum ChildProcess {
  /// Starts a program by its path or by its name on the PATH; returns its process id.
  ///
  /// The index of a descriptor in the list is its number in the child. The child has its own process group,
  /// so an interrupt from the terminal goes only to this process, which must then end the child.
  public static func start(
    _ program: String,
    _ arguments: [String],
    environment: [String],
    descriptors: [Descriptor],
    blocking signals: [Int32] = []
  ) throws(SystemError) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in descriptors.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, descriptor.number, Int32(number))
    }
    clinux_spawn_closing_from(&actions, Int32(descriptors.count))

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // This process blocks signals that it receives by signalfd. The child must not inherit the blocked
    // signals, because it would not react to SIGTERM.
    var (blocked, all) = (sigset_t(), sigset_t())
    sigemptyset(&blocked)
    for signal in signals { sigaddset(&blocked, signal) }
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &blocked)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var process: Int32 = 0
    let code = withCStrings([program] + arguments) { words in
      withCStrings(environment) { posix_spawnp(&process, program, &actions, &attributes, words, $0) }
    }
    guard code == 0 else { throw SystemError("posix_spawn", code: code) }
    return process
  }

  /// Opens /dev/null for reading and writing.
  public static func nullDevice() throws(SystemError) -> Descriptor {
    let number = open("/dev/null", O_RDWR | O_CLOEXEC)
    guard number >= 0 else { throw SystemError("open") }
    return Descriptor(owning: number)
  }
}

/// Passes the body a null-terminated array of C strings.
private func withCStrings<R>(_ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R) -> R {
  let pointers = texts.map { strdup($0) }
  defer { for pointer in pointers { free(pointer) } }
  return body(pointers + [nil])
}
