internal import CLinux
internal import EventLoop
import Glibc
internal import Journal
internal import UnixSockets

/// A courier that was started as a child and has to be ended and buried.
@EventLoop
final class CourierProcess {
  let process: pid_t
  private var isEnded = false

  /// The descriptor under which the child finds its socket.
  private static let socketNumber: Int32 = 3

  /// What the child sees of the environment: nothing that could steer its network or its libraries.
  private static let environment = ["PATH=/usr/bin:/bin", "LANG=C.UTF-8", "SWIFT_BACKTRACE=enable=no"]

  /// Starts the program with the socket and the standard streams and nothing else.
  init(_ command: CourierCommand, socket: borrowing Descriptor) throws(SystemError) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, socket.number, Self.socketNumber)
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    clinux_spawn_closing_from(&actions, Self.socketNumber + 1)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Signals that arrive here by descriptor are blocked; the child would inherit that and ignore SIGTERM.
    // Only SIGHUP waits until the child is ready to take it, instead of ending one that has just begun.
    var (blocked, all) = (sigset_t(), sigset_t())
    sigemptyset(&blocked)
    sigaddset(&blocked, SIGHUP)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &blocked)
    posix_spawnattr_setsigdefault(&attributes, &all)
    // A group of its own: an interrupt from the terminal is for this process, which then ends the child.
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    posix_spawnattr_setflags(&attributes, Int16(flags))

    let arguments = [command.executable, "--child", "\(Self.socketNumber)"] + command.arguments
    var process: pid_t = 0
    let code = withCStrings(arguments) { arguments in
      withCStrings(Self.environment) { environment in
        posix_spawn(&process, command.executable, &actions, &attributes, arguments, environment)
      }
    }
    guard code == 0 else { throw SystemError("posix_spawn", code: code) }
    self.process = process
  }

  /// Makes the child read its configuration again.
  func reload() {
    if !isEnded { kill(process, SIGHUP) }
  }

  /// Ends the child, which holds nothing that could be lost, and buries it.
  func end() {
    guard !isEnded else { return }
    isEnded = true
    bury(retryingAfter: .milliseconds(1))
  }

  private func bury(retryingAfter delay: Duration) {
    var status: Int32 = 0
    // Asked before the kill, so that the journal tells how a child ended that ended by itself.
    guard waitpid(process, &status, WNOHANG) == 0 else {
      return Journal.debug("courier ended", ["process": process, "status": status])
    }
    kill(process, SIGKILL)
    EventLoop.after(delay) { self.bury(retryingAfter: min(delay * 2, .seconds(1))) }
  }
}

/// Calls the body with the texts as C wants a list of them, ended by a null pointer.
private func withCStrings<R>(_ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R) -> R {
  let pointers = texts.map { strdup($0) }
  defer { for pointer in pointers { free(pointer) } }
  return body(pointers + [nil])
}
