internal import CLinux
internal import Configuration
internal import Confinement
internal import ControlClient
internal import Glibc
internal import Processes
internal import SystemCalls
internal import UnixSockets

/// Reads the QR codes of a picture with zbarimg(1).
///
/// The picture is untrusted and its code is a secret. An explicit format prevents the picture from selecting
/// another decoder. zbarimg reads the bytes from an unnamed file and writes no temporary files. It is confined: it
/// can read the files of the system, but it has no file of a user and no socket. Thus it cannot announce the code
/// on the system bus, as it does by default.
enum CodeReader {
  private static let environment = [
    "LANG=C.UTF-8", "DBUS_SYSTEM_BUS_ADDRESS=unix:path=/dev/null", "MAGICK_DISK_LIMIT=0",
    "MAGICK_MEMORY_LIMIT=512MiB",
  ]
  /// The rights of zbarimg: programs and libraries of the system, no other files, and no sockets.
  private static var confinement: Confinement {
    let places = (ProcessEnvironment.value("PATH") ?? "/usr/bin").split(separator: ":")
    return Confinement(
      files: FileRule.system + FileRule.devices + [FileRule("/usr", .execute), FileRule("/lib64", .execute)]
        + places.map { FileRule("\($0)/zbarimg", [.execute, .read]) },
      families: [],
      startsPrograms: true
    )
  }
  private static let limit = Duration.seconds(20)
  /// Maximum length of the output in bytes: ten times the longest code.
  private static let maximumOutput = 32 * 1024
  /// The prefix of each code; a line without it continues the previous code.
  private static let prefix = "QR-Code:"
  /// The exit status for a picture without a code.
  private static let nothingFound: Int32 = 4

  /// Returns the distinct codes of a picture, at most two.
  static func codes(in picture: Picture, _ waiter: Waiter) throws(Failure) -> Set<String> {
    let run: ToolRun
    do {
      run = try ToolRun(
        "zbarimg",
        ["--quiet", "-Sdisable", "-Sqrcode.enable", "\(picture.format.rawValue):fd:0"],
        environment: environment,
        input: picture.bytes,
        maximumLine: maximumOutput,
        confinement: confinement,
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
      throw .local(
        .usage,
        "zbarimg cannot read the picture",
        hint: "check that it is complete, or use a smaller one"
      )
    }
    return codes
  }
}

/// The bytes of a picture, and its format according to the first bytes.
struct Picture {
  enum Format: String {
    case gif, jpeg, png, webp
  }

  let bytes: [UInt8]
  let format: Format

  private static let mebibytes = 16

  /// Reads a file; `-` is standard input.
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

/// A run of another program with bytes on its standard input.
///
/// `deinit` kills the process. `line` returns lines of standard output and, with `takesErrors`, of standard
/// error.
final class ToolRun {
  private let process: pid_t
  private let waiter: Waiter
  private let deadline: Deadline
  private var lines: LineReader
  /// The status of waitpid(2); `nil` before the end of the process.
  private var status: Int32?

  init(
    _ program: String,
    _ arguments: [String],
    environment: [String],
    input: [UInt8],
    maximumLine: Int,
    takesErrors: Bool = false,
    confinement: Confinement? = nil,
    _ waiter: Waiter,
    until deadline: Deadline
  ) throws(SystemError) {
    // The child has its own process group, so Ctrl-C interrupts only this program, which then kills the child
    // in `deinit`.
    waiter.catchSignals()
    let (output, theirs) = try UnixSocket.pair()
    let errors = takesErrors ? theirs : try ChildProcess.nullDevice()
    let descriptors = [try Self.file(holding: input), theirs, errors]
    let start: @Sendable () -> Result<pid_t, SystemError> = {
      Result { () throws(SystemError) in
        try ChildProcess.start(program, arguments, environment: environment, descriptors: descriptors)
      }
    }
    process = try (confinement?.run(start) ?? start()).get()
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

  /// Returns the exit status; `nil` if the deadline passed or a signal ended the process.
  func exit() throws(Failure) -> Int32? {
    var ended: Int32 = 0
    while waitpid(process, &ended, WNOHANG) == 0 {
      if deadline.hasPassed { return nil }
      try waiter.pause(until: .after(.milliseconds(5)))
    }
    status = ended
    return ended & 0x7F == 0 ? ended >> 8 & 0xFF : nil
  }

  /// Returns an unnamed file with these bytes, positioned at its beginning.
  private static func file(holding bytes: [UInt8]) throws(SystemError) -> Descriptor {
    let number = clinux_memory_file()
    guard number >= 0 else { throw SystemError("memfd_create") }
    let file = Descriptor(owning: number)
    try writeWhole(bytes, to: number)
    lseek(number, 0, SEEK_SET)
    return file
  }
}
