internal import Glibc
internal import Synchronization

/// Writes journal lines to a descriptor without blocking on a slow reader.
///
/// Other programs share standard error, so it must not be set to non-blocking. For a socket, as under
/// systemd, each send is non-blocking. A pipe is reopened as non-blocking. If that fails, for instance for
/// another user's pipe, poll(2) checks for space before each line.
struct JournalOutput: Sendable {
  private let descriptor: Int32
  private let isSocket: Bool
  private let blocks: Bool
  /// True if users read the lines, which then begin without a priority.
  let isTerminal: Bool

  /// A pipe accepts a write of up to this size entirely or not at all.
  private static let longestLine = Int(PIPE_BUF)

  init(_ descriptor: Int32) {
    var status = stat()
    let kind = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
    isSocket = kind == S_IFSOCK
    let again = kind == S_IFIFO ? open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_CLOEXEC) : -1
    self.descriptor = again >= 0 ? again : descriptor
    blocks = !isSocket && again < 0
    isTerminal = isatty(descriptor) == 1
  }

  /// Writes a line, truncated to `longestLine`, and its terminator; returns false if the write fails.
  ///
  /// The write fails if there is no space; a pipe then contains no part of the line.
  func write(_ line: String) -> Bool {
    var bytes = Array(line.utf8.prefix(Self.longestLine - 1))
    bytes.append(UInt8(ascii: "\n"))
    guard !blocks || hasRoom else { return false }
    // Each line is one write, so that lines of several processes on one pipe do not mix.
    return bytes.withUnsafeBytes { bytes in
      isSocket
        ? send(
          descriptor,
          bytes.baseAddress,
          bytes.count,
          Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
        )
        : Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    } >= 0
  }

  private var hasRoom: Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&request, 1, 0) == 1 && request.revents & Int16(POLLOUT) != 0
  }
}

/// Writes lines within their rate limit, and reports the number of lines that were not written.
struct JournalWriter {
  private let output: JournalOutput
  private var rate = JournalRate()
  /// Number of lines for which there was no space.
  private var lost = 0

  init(_ output: JournalOutput) { self.output = output }

  /// Writes a line; a limited line is only written if its rate allows it.
  mutating func write(
    _ level: Journal.Level,
    _ message: StaticString,
    _ fields: Journal.Fields,
    at now: Duration,
    isLimited: Bool
  ) {
    for omission in rate.takeOmissions(at: now) {
      write(.warning, "lines of one kind were left out", ["line": omission.message, "count": omission.count])
    }
    guard !isLimited || rate.allows(message, at: now) else { return }
    write(level, message, fields)
  }

  private mutating func write(_ level: Journal.Level, _ message: StaticString, _ fields: Journal.Fields) {
    if lost > 0, output.write(line(.warning, "lines were lost: the reader is too slow", ["count": lost])) {
      lost = 0
    }
    if lost > 0 || !output.write(line(level, message, fields)) { lost += 1 }
  }

  private func line(_ level: Journal.Level, _ message: StaticString, _ fields: Journal.Fields) -> String {
    fields.reduce(output.isTerminal ? "\(message)" : "<\(level.rawValue)>\(message)") { line, field in
      line + " \(field.key)=\(Journal.safe(field.value.description))"
    }
  }
}

/// Keeps the newest entries of the journal in memory, at most `capacity`.
final class JournalMemory: Sendable {
  private struct Ring {
    var entries: [JournalEntry] = []
    var next = 0
  }

  private let ring = Mutex(Ring())
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  func remember(_ entry: JournalEntry) {
    ring.withLock { ring in
      if ring.entries.count < capacity {
        ring.entries.append(entry)
      } else {
        ring.entries[ring.next] = entry
        ring.next = (ring.next + 1) % capacity
      }
    }
  }

  /// The entries, oldest first.
  var entries: [JournalEntry] {
    ring.withLock { Array($0.entries[$0.next...] + $0.entries[..<$0.next]) }
  }
}

/// Limits the rate of each kind of line, so that one kind cannot displace all others.
///
/// All lines with the same message literal are of one kind.
struct JournalRate {
  /// The omitted lines of one kind.
  struct Omission {
    let message: StaticString
    let count: Int
  }

  private struct Kind {
    let message: StaticString
    var begin: Duration
    var written = 0
    var omitted = 0
  }

  static let most = 50
  static let period = Duration.seconds(10)

  /// The kinds by the address of their literal; there are at most as many as the program has literals.
  private var kinds: [UnsafePointer<UInt8>: Kind] = [:]

  /// True if a line may be written now.
  mutating func allows(_ message: StaticString, at now: Duration) -> Bool {
    var kind = kinds[message.utf8Start] ?? Kind(message: message, begin: now)
    defer { kinds[message.utf8Start] = kind }
    if now - kind.begin >= Self.period, kind.omitted == 0 { (kind.begin, kind.written) = (now, 0) }
    guard kind.written < Self.most else {
      kind.omitted += 1
      return false
    }
    kind.written += 1
    return true
  }

  /// Removes the kinds with an expired period, and returns their omissions.
  mutating func takeOmissions(at now: Duration) -> [Omission] {
    var omissions: [Omission] = []
    for (place, kind) in kinds where kind.omitted > 0 && now - kind.begin >= Self.period {
      omissions.append(Omission(message: kind.message, count: kind.omitted))
      kinds[place] = nil
    }
    return omissions
  }
}
