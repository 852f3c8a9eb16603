internal import CLinux
import COpenSSL
import Glibc
internal import Synchronization

/// Locked memory for `Secret`s, apart from the library's own, so that however many lie here the library still has room
/// for what it works with.
///
/// A secret takes whole blocks side by side. A page takes memory once a secret lies in it, and is locked from then on.
/// The pages before and after cannot be touched, and no core file and no child has any of it.
final class SecretArena: @unchecked Sendable {
  // Safety: who holds a block's address got it from `allocate`, and nobody else has it until `free`; which blocks are
  // taken is known to one at a time.
  private static let blockByteCount = 32

  private let base: UnsafeMutableRawPointer
  private let byteCount: Int
  private let blocks: Mutex<Blocks>

  private struct Blocks {
    var isTaken: [Bool]
    /// Where the next search begins, so that a block is not given out again at once.
    var next = 0

    /// The first of so many free blocks side by side.
    func freeRun(of wanted: Int) -> Int? {
      var run = 0
      for step in isTaken.indices {
        let index = (next + step) % isTaken.count
        // Blocks side by side do not go on at the arena's beginning.
        if index == 0 || isTaken[index] { run = 0 }
        if !isTaken[index] { run += 1 }
        if run == wanted { return index - wanted + 1 }
      }
      return nil
    }
  }

  /// An arena of so many bytes in whole pages; `nil` if it cannot be had locked.
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

  /// Room for so many bytes, all zero; `nil` when there is none.
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

  /// Whether an address was given out here.
  func holds(_ address: UnsafeMutableRawPointer) -> Bool { address >= base && address < base + byteCount }

  /// Wipes what was allocated for so many bytes and takes it back.
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
