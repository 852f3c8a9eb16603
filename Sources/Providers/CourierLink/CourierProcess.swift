internal import EventLoop
import Glibc
internal import Journal
internal import Processes
internal import SystemCalls
internal import UnixSockets

/// A courier that was started as a child and has to be ended and buried.
@EventLoop
final class CourierProcess {
  let process: pid_t
  private var isEnded = false

  /// The descriptor under which the child finds its socket, after the standard streams.
  private static let socketNumber: Int32 = 3

  /// What the child sees of the environment: nothing that could steer its network or its libraries.
  private static let environment = ["PATH=/usr/bin:/bin", "LANG=C.UTF-8", "SWIFT_BACKTRACE=enable=no"]

  /// Starts the program with the socket and the standard streams and nothing else.
  init(_ command: CourierCommand, socket: Descriptor) throws(SystemError) {
    let null = try ChildProcess.nullDevice()
    process = try ChildProcess.start(
      command.executable,
      ["--child", "\(Self.socketNumber)"] + command.arguments,
      environment: Self.environment,
      descriptors: [null, null, Descriptor(owning: dup(STDERR_FILENO)), socket],
      // A reload waits until the child is ready to take it, instead of ending one that has just begun.
      blocking: [SIGHUP]
    )
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
