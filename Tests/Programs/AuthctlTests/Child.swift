import Glibc
import UnixSockets

/// A child process, with the test's ends of its descriptors.
final class Child {
  enum Input {
    case lines([String])
    case terminal
  }

  enum End: Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  struct SpawnError: Error { let code: Int32 }

  let process: pid_t
  /// The master side of the terminal.
  let terminal: Descriptor?
  let output: Descriptor
  let errors: Descriptor

  /// Starts a program in its own session.
  init(
    _ path: String,
    _ arguments: [String],
    environment: [String],
    input: Input,
    outputIsTerminal: Bool = false
  ) throws {
    let (outputReader, outputWriter) = try UnixSocket.pair()
    let (errorReader, errorWriter) = try UnixSocket.pair()
    let (inputReader, inputWriter) = try UnixSocket.pair()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    switch input {
    case .lines(let lines):
      terminal = nil
      posix_spawn_file_actions_adddup2(&actions, inputReader.number, 0)
      let bytes = lines.map { $0 + "\n" }.joined()
      write(inputWriter.number, bytes, bytes.utf8.count)
    case .terminal:
      let (master, name) = try Self.makeTerminal()
      terminal = master
      // The first terminal that a session leader opens becomes its controlling terminal.
      posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
    }
    if outputIsTerminal {
      posix_spawn_file_actions_adddup2(&actions, 0, 1)
    } else {
      posix_spawn_file_actions_adddup2(&actions, outputWriter.number, 1)
    }
    posix_spawn_file_actions_adddup2(&actions, errorWriter.number, 2)
    (output, errors) = (outputReader, errorReader)
    process = try Self.spawn(path, arguments, environment, &actions)
  }

  /// Returns the master side and the path of a new terminal.
  ///
  /// posix_openpt(3) and its companions are not
  /// imported.
  private static func makeTerminal() throws -> (Descriptor, path: String) {
    let master = Descriptor(owning: open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC))
    let (unlock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
    var (isLocked, number): (Int32, UInt32) = (0, 0)
    guard ioctl(master.number, unlock, &isLocked) == 0, ioctl(master.number, getNumber, &number) == 0 else {
      throw SpawnError(code: errno)
    }
    return (master, "/dev/pts/\(number)")
  }

  private static func spawn(
    _ path: String,
    _ arguments: [String],
    _ environment: [String],
    _ actions: inout posix_spawn_file_actions_t
  ) throws -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    let newSession: Int32 = 0x80  // POSIX_SPAWN_SETSID, which is not imported
    posix_spawnattr_setflags(
      &attributes,
      Int16(newSession | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
    )
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup($0) } + [nil]
    defer { for pointer in words + variables { free(pointer) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, path, &actions, &attributes, words, variables)
    guard code == 0 else { throw SpawnError(code: code) }
    return process
  }

  /// Waits until the program ends.
  func wait() -> End {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
  }

  /// True if the terminal echoes its input.
  var isEchoing: Bool {
    guard let terminal else { return false }
    var state = termios()
    return tcgetattr(terminal.number, &state) == 0 && state.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Path of the program under test, which is built next to the tests.
  static let authctl: String = {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let parts = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).split(separator: "/")
    return "/" + parts.dropLast().joined(separator: "/") + "/authctl"
  }()
}
