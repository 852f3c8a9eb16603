internal import CLinux
internal import ControlClient
internal import Glibc
internal import Processes
internal import SystemCalls
internal import UnixSockets

/// Finds the QR codes of a picture by zbarimg(1).
///
/// A picture may come from anybody, and what its code holds is a secret. The program is told the format, so
/// that the picture cannot choose a stranger one; it gets the bytes without a name and makes no files of
/// them, and it does not announce what it finds on the system's bus, as it otherwise would.
enum CodeReader {
  private static let environment = [
    "LANG=C.UTF-8", "DBUS_SYSTEM_BUS_ADDRESS=unix:path=/dev/null", "MAGICK_DISK_LIMIT=0",
    "MAGICK_MEMORY_LIMIT=512MiB",
  ]
  private static let limit = Duration.seconds(20)
  /// Ten times the longest code.
  private static let maximumOutput = 32 * 1024
  /// What stands before each code; a line without it belongs to the code before.
  private static let prefix = "QR-Code:"
  /// How it exits when a picture has no code.
  private static let nothingFound: Int32 = 4

  /// The different codes of a picture; after the second no more are looked for.
  static func codes(in picture: Picture, _ waiter: Waiter) throws(Failure) -> Set<String> {
    let run: ToolRun
    do {
      run = try ToolRun(
        "zbarimg",
        ["--quiet", "-Sdisable", "-Sqrcode.enable", "\(picture.format.rawValue):fd:0"],
        environment: environment,
        input: picture.bytes,
        maximumLine: maximumOutput,
        waiter,
        until: .after(limit)
      )
    } catch {
      throw error.code == ENOENT
        ? .local(
          .toolMissing,
          "zbarimg, which reads QR codes, is not installed",
          hint: "\"sudo apt install zbar-tools\" installs it"
        ) : .local(.usage, "zbarimg cannot be started: \(error.description)")
    }
    var codes: Set<String> = []
    var room = maximumOutput
    var outcome = try run.line()
    while case .line(let bytes) = outcome, room > 0 {
      let line = String(decoding: bytes, as: UTF8.self)
      if line.hasPrefix(prefix) { codes.insert(String(line.dropFirst(prefix.count))) }
      if codes.count > 1 { return codes }
      room -= bytes.count + 1
      outcome = try run.line()
    }
    guard case .end = outcome, try run.exit() == (codes.isEmpty ? nothingFound : 0) else {
      throw .local(.usage, "zbarimg cannot read the picture", hint: "check that it is complete, or use a smaller one")
    }
    return codes
  }
}

/// A picture that was read whole, and the format that its first bytes show.
struct Picture {
  enum Format: String {
    case gif, jpeg, png, webp
  }

  let bytes: [UInt8]
  let format: Format

  private static let mebibytes = 16

  /// Reads a file, `-` for standard input.
  init(_ path: String) throws(Failure) {
    bytes = try InputFile(path, atMost: Self.mebibytes).bytes
    guard let format = Self.format(of: bytes) else {
      throw .local(
        .usage,
        "\(path) is not a supported picture",
        hint: "use PNG, JPEG, GIF or WebP"
      )
    }
    self.format = format
  }

  private static func format(of bytes: [UInt8]) -> Format? {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
    if bytes.starts(with: "GIF8".utf8) { return .gif }
    return bytes.starts(with: "RIFF".utf8) && bytes.dropFirst(8).starts(with: "WEBP".utf8) ? .webp : nil
  }
}

/// A run of another program, which gets bytes on its standard input and is ended with its owner at the
/// latest; its lines are those of its standard output, and of its standard error where they are wanted.
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
