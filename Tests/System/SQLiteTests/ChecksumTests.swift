import Glibc
import SQLite
import Testing

@Suite("Page checksums")
struct ChecksumTests {
  private let path = "/tmp/mfad-test-\(getpid())-\(UInt64.random(in: 0 ... .max)).db"
  private let copy = "/tmp/mfad-test-\(getpid())-\(UInt64.random(in: 0 ... .max)).db"

  private static let pageSize = 4096
  private static let logHeaderSize = 32
  private static let frameSize = 24 + pageSize

  private func removeFiles() {
    for path in [path, copy] { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
  }

  private static func read(_ path: String) -> [UInt8] {
    var status = stat()
    guard stat(path, &status) == 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    let file = open(path, O_RDONLY)
    defer { close(file) }
    return pread(file, &bytes, bytes.count, 0) == bytes.count ? bytes : []
  }

  private static func write(_ bytes: [UInt8], to path: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(file) }
    #expect(pwrite(file, bytes, bytes.count, 0) == bytes.count)
  }

  private func fill() throws -> Database {
    let database = try Database(path: path)
    try database.executeScript("CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT) STRICT")
    for number in 0..<300 {
      try database.run("INSERT INTO thing (name) VALUES (?)", .text(String(repeating: "x", count: number)))
    }
    return database
  }

  @Test("a changed byte anywhere in a page is reported as corrupt")
  func damage() throws {
    defer { removeFiles() }
    do { try fill().truncateLog() }
    let sound = Self.read(path)
    #expect(sound.count > 4 * Self.pageSize && Database.countDamagedPages(path: path) == 0)
    for place in [0, 20, 100, 4095].map({ $0 + 2 * Self.pageSize }) + [18, 20, 60, Self.pageSize - 1] {
      var bytes = sound
      bytes[place] ^= 4
      Self.write(bytes, to: path)
      #expect(Database.countDamagedPages(path: path) == 1, "byte \(place)")
      let error = #expect(throws: SQLiteError.self, "byte \(place)") {
        _ = try Database(path: path).rows("SELECT name FROM thing") { $0.text(0) }
      }
      #expect(error?.kind == .corrupt)
    }
    Self.write(sound, to: path)
    #expect(try Database(path: path).rows("SELECT name FROM thing") { $0.text(0) }.count == 300)
  }

  @Test("a page without checksum, checkpointed by another program, is read")
  func foreignPage() throws {
    defer { removeFiles() }
    do { try fill().truncateLog() }
    var bytes = Self.read(path)
    for end in stride(from: Self.pageSize, through: bytes.count, by: Self.pageSize) {
      bytes.replaceSubrange(end - 8..<end, with: repeatElement(0, count: 8))
    }
    Self.write(bytes, to: path)
    #expect(Database.countDamagedPages(path: path) == 0)
    #expect(try Database(path: path).rows("SELECT name FROM thing") { $0.text(0) }.count == 300)
  }

  @Test("a page with an interrupted checkpoint is not counted as damaged")
  func cutShort() throws {
    defer { removeFiles() }
    let database = try fill()
    try database.truncateLog()
    try database.run("UPDATE thing SET name = replace(name, 'x', 'y')")
    var bytes = Self.read(path)
    bytes[4 * Self.pageSize] ^= 4
    Self.write(bytes, to: path)
    #expect(Database.countDamagedPages(path: path) == 0)
  }

  @Test("the WAL can be truncated while pages are checked", .timeLimit(.minutes(30)))
  func emptying() async throws {
    defer { removeFiles() }
    let database = try fill()
    try database.truncateLog()
    let checking = Task.detached { [path] in
      while !Task.isCancelled { #expect(Database.countDamagedPages(path: path) == 0) }
    }
    for number in 0..<200 {
      try database.run("UPDATE thing SET name = ? WHERE id = 1", .text("name \(number)"))
      try database.truncateLog()
    }
    checking.cancel()
    await checking.value
  }

  @Test("a WAL damaged before its last transaction is refused, a truncated one is not")
  func log() throws {
    defer { removeFiles() }
    let database = try fill()
    try database.truncateLog()
    for number in 0..<5 {
      try database.run("UPDATE thing SET name = ? WHERE id = 1", .text("name \(number)"))
    }
    let (file, log) = (Self.read(path), Self.read(path + "-wal"))
    #expect(log.count == Self.logHeaderSize + 5 * Self.frameSize)
    func isRefused(_ log: [UInt8]) -> Bool {
      Self.write(file, to: copy)
      Self.write(log, to: copy + "-wal")
      do { try Database.checkLog(of: copy) } catch { return true }
      return false
    }
    #expect(!isRefused(log) && !isRefused([]))
    for frame in 0..<4 {
      for place in [0, 5, 9, 17, 22, 30, 4119] {
        var damaged = log
        damaged[Self.logHeaderSize + frame * Self.frameSize + place] ^= 1
        // Damage in the last but one frame may look like the end of the WAL.
        #expect(isRefused(damaged) || frame == 3, "byte \(place) of frame \(frame)")
      }
    }
    for place in 0..<Self.logHeaderSize {
      var damaged = log
      damaged[place] ^= 1
      #expect(isRefused(damaged), "byte \(place) of the header")
    }
    for count in stride(from: 0, to: log.count, by: 512) { #expect(!isRefused(Array(log[..<count]))) }
    withExtendedLifetime(database) {}
  }
}
