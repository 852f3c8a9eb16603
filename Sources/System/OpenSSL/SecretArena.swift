internal import CLinux
import COpenSSL
import Glibc
internal import Synchronization

/// Locked memory for `Secret`s, separate from the library's secure heap, so that any number of secrets leaves
/// memory for the library's own computations.
///
/// A secret occupies adjacent blocks. A page is allocated and locked when a secret is first written to it.
/// Guard pages surround the arena. It is excluded from core files and wiped in child processes.
final class SecretArena: @unchecked Sendable {
  // Safety: a block belongs to the caller of `allocate` until `free`. The lock protects the list of used
  // blocks.
  private static let blockByteCount = 32

  private let base: UnsafeMutableRawPointer
  private let byteCount: Int
  private let blocks: Mutex<Blocks>

  private struct Blocks {
    var isTaken: [Bool]
    /// Block at which the next search starts, so that a freed block is reused as late as possible.
    var next = 0

    /// Returns the index of the first of `wanted` adjacent free blocks; `nil` if there is no such run.
    func freeRun(of wanted: Int) -> Int? {
      var run = 0
      for step in isTaken.indices {
        let index = (next + step) % isTaken.count
        // A run does not continue from the end of the arena to its beginning.
        if index == 0 || isTaken[index] { run = 0 }
        if !isTaken[index] { run += 1 }
        if run == wanted { return index - wanted + 1 }
      }
      return nil
    }
  }

  /// Creates an arena of at least `bytes` bytes, in whole pages; `nil` if the memory cannot be mapped and
  /// locked.
  init?(bytes: Int) {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    byteCount = max(1, (bytes + page - 1) / page) * page
    let mapped = mmap(nil, byteCount + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let mapped, mapped != MAP_FAILED else { return nil }
    base = mapped + page
    blocks = Mutex(Blocks(isTaken: Array(repeating: false, count: byteCount / Self.blockByteCount)))
    guard mprotect(base, byteCount, PROT_READ | PROT_WRITE) == 0,
      clinux_lock_when_touched(base, byteCount) == 0,
      madvise(base, byteCount, MADV_DONTDUMP) == 0, madvise(base, byteCount, MADV_WIPEONFORK) == 0
    else {
      munmap(mapped, byteCount + 2 * page)
      return nil
    }
  }

  /// Allocates `count` zeroed bytes; `nil` if there is no space.
  func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
    let wanted = Self.blockCount(count)
    let first = blocks.withLock { blocks in
      let first = blocks.freeRun(of: wanted)
      if let first {
        for block in first..<(first + wanted) { blocks.isTaken[block] = true }
        blocks.next = (first + wanted) % blocks.isTaken.count
      }
      return first
    }
    return first.map { base + $0 * Self.blockByteCount }
  }

  /// True if the address is in this arena.
  func holds(_ address: UnsafeMutableRawPointer) -> Bool { address >= base && address < base + byteCount }

  /// Wipes and frees an allocation of `count` bytes.
  func free(_ address: UnsafeMutableRawPointer, _ count: Int) {
    let wanted = Self.blockCount(count)
    OPENSSL_cleanse(address, wanted * Self.blockByteCount)
    let first = (address - base) / Self.blockByteCount
    blocks.withLock { blocks in
      for block in first..<(first + wanted) { blocks.isTaken[block] = false }
    }
  }

  private static func blockCount(_ count: Int) -> Int {
    max(1, (count + blockByteCount - 1) / blockByteCount)
  }
}
