internal import CLinux
internal import Glibc
public import SystemCalls

/// Delivers signals as calls on the loop, by signalfd(2), so that handlers may run any code.
@EventLoop
public final class Signals {
  private let descriptor: Int32
  private var watch: Watch?

  /// Blocks these signals, so that their default actions do not occur, and calls the handler for each.
  public init(_ signals: [Int32], _ handler: @escaping @EventLoop (Int32) -> Void) throws(SystemError) {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    guard pthread_sigmask(SIG_BLOCK, &set, nil) == 0 else { throw SystemError("pthread_sigmask") }
    let descriptor = signalfd(-1, &set, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
    guard descriptor >= 0 else { throw SystemError("signalfd") }
    self.descriptor = descriptor
    watch = try EventLoop.watch(descriptor, for: .readable) { _ in
      var information = signalfd_siginfo()
      while read(descriptor, &information, MemoryLayout<signalfd_siginfo>.size)
        == MemoryLayout<signalfd_siginfo>.size
      {
        handler(Int32(bitPattern: information.ssi_signo))
      }
    }
  }
}
