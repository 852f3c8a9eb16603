internal import CLinux
internal import ControlClient
internal import Glibc
internal import Processes
internal import SystemCalls
internal import UnixSockets

/// A run of another program, which gets bytes on its standard input and is ended with its owner at the latest; its lines
/// are those of its standard output, and of its standard error where they are wanted.
final class ToolRun {
  private let process: pid_t
  private let waiter: Waiter
  private let deadline: Deadline
  private var lines: LineReader
  /// What waitpid(2) said at the end.
  private var status: Int32?

  init(
    _ program: String,
    _ arguments: [String],
    environment: [String],
    input: [UInt8],
    maximumLine: Int,
    takesErrors: Bool = false,
    _ waiter: Waiter,
    until deadline: Deadline
  ) throws(SystemError) {
    // Of its own group: an interrupt comes here, and the way out ends it.
    waiter.catchSignals()
    let (output, theirs) = try UnixSocket.pair()
    let errors = takesErrors ? theirs : try ChildProcess.nullDevice()
    process = try ChildProcess.start(
      program,
      arguments,
      environment: environment,
      descriptors: [try Self.file(holding: input), theirs, errors]
    )
    (self.waiter, self.deadline) = (waiter, deadline)
    lines = LineReader(output, maximumLine: maximumLine)
  }

  deinit {
    if status == nil {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
  }

  func line() throws(Failure) -> LineReader.Outcome { try lines.next(waiter, until: deadline) }

  /// The status that it exits with; `nil` if it does not in time, or by a signal.
  func exit() throws(Failure) -> Int32? {
    var ended: Int32 = 0
    while waitpid(process, &ended, WNOHANG) == 0 {
      if deadline.hasPassed { return nil }
      try waiter.pause(until: .after(.milliseconds(5)))
    }
    status = ended
    return ended & 0x7F == 0 ? ended >> 8 & 0xFF : nil
  }

  /// A file without a name, read from its beginning.
  private static func file(holding bytes: [UInt8]) throws(SystemError) -> Descriptor {
    let number = clinux_memory_file()
    guard number >= 0 else { throw SystemError("memfd_create") }
    let file = Descriptor(owning: number)
    try writeWhole(bytes, to: number)
    lseek(number, 0, SEEK_SET)
    return file
  }
}
