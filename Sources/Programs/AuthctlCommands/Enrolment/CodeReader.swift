internal import ControlClient
internal import Glibc
internal import SystemCalls

/// Finds the QR codes of a picture by zbarimg(1).
///
/// A picture may come from anybody, and what its code holds is a secret. The program is told the format, so that the
/// picture cannot choose a stranger one; it gets the bytes without a name and makes no files of them, and it does not
/// announce what it finds on the system's bus, as it otherwise would.
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
      throw .local(.usage, "zbarimg cannot read the picture", hint: "is it whole? A smaller one may do")
    }
    return codes
  }
}
