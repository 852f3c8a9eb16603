internal import Glibc

/// The state directory of a daemon, in memory.
///
/// A crash leaves the contents of its files.
struct Disk {
  let path: String

  struct Failure: Error {
    let path: String
  }

  /// Creates an empty directory.
  init(at path: String) throws {
    self.path = path
    remove()
    guard mkdir(path, 0o700) == 0 else { throw Failure(path: path) }
  }

  /// Copies the files as another process would read them now.
  func copy(to path: String) throws -> Disk {
    let copy = try Disk(at: path)
    for name in try names() where name != "lock" && !name.hasSuffix("-shm") {
      try Self.write(Self.read(self.path + "/" + name), to: path + "/" + name)
    }
    return copy
  }

  func remove() {
    for name in (try? names()) ?? [] { unlink(path + "/" + name) }
    rmdir(path)
  }

  private func names() throws -> [String] {
    guard let directory = opendir(path) else { throw Failure(path: path) }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  private static func read(_ path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    var status = stat()
    guard descriptor >= 0, fstat(descriptor, &status) == 0 else { throw Failure(path: path) }
    defer { close(descriptor) }
    let count = Int(status.st_size)
    return try [UInt8](unsafeUninitializedCapacity: count) { room, filled in
      guard pread(descriptor, room.baseAddress, count, 0) == count else { throw Failure(path: path) }
      filled = count
    }
  }

  private static func write(_ bytes: [UInt8], to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure(path: path) }
    defer { close(descriptor) }
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { throw Failure(path: path) }
  }
}
