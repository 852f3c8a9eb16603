public import EventLoop
import Glibc
public import SystemCalls
public import UnixSockets

/// One connection on the loop: bytes that came are handed on at once, bytes to send leave at the end of the turn.
@EventLoop
public final class StreamConnection {
  /// Is given what was read; an empty array never.
  public var onBytes: (@EventLoop (UnsafeRawBufferPointer) -> Void)?
  /// Is called when the other side will send no more, but may still read; without it the connection is closed then.
  public var onEnd: (@EventLoop () -> Void)?
  /// Is called once when the connection is over, whichever side ended it.
  public var onClose: (@EventLoop () -> Void)?
  /// Is called when all that was to be sent has been handed to the kernel.
  public var onDrained: (@EventLoop () -> Void)?

  /// Is called when more or less waits to be sent.
  public var onUnsent: (@EventLoop () -> Void)?

  /// Whether more is read; while not, the other side has to wait.
  public var isReading = true {
    didSet {
      if isReading != oldValue { updateInterest() }
    }
  }

  /// How many bytes wait to be sent.
  public var unsentCount: Int { unsent.count - sentCount }

  /// How much memory is held for what waits to be sent, in bytes.
  public var heldCount: Int { unsent.capacity }

  /// Whether the kernel takes no more for now, since the other side does not read.
  public var isStuck: Bool { isWaitingToWrite }

  /// How many bytes the kernel has taken since the connection began.
  public private(set) var takenCount = 0

  private let descriptor: Descriptor
  private var watch: Watch?
  private var unsent: [UInt8] = []
  private var sentCount = 0
  private var willFlush = false
  private var closesWhenDrained = false
  private var isWaitingToWrite = false {
    didSet {
      if isWaitingToWrite != oldValue { updateInterest() }
    }
  }

  private static let readSize = 64 * 1024
  private static let mostReadsAtTheEnd = 8
  private static let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: readSize, alignment: 16)

  /// Takes over a connected socket; nothing is read before `start`.
  public init(_ descriptor: Descriptor) { self.descriptor = descriptor }

  /// Begins to read and to send.
  public func start() throws(SystemError) {
    try descriptor.setNonBlocking()
    watch = try EventLoop.watch(descriptor.number, for: .readable) { [weak self] ready in self?.handle(ready)
    }
  }

  /// Who is at the other end.
  public func peer() throws(SystemError) -> Peer { try UnixSocket.peer(of: descriptor) }

  /// Sends bytes after all that was given before; they leave together at the end of the turn.
  public func send(_ bytes: [UInt8]) {
    guard watch != nil, !closesWhenDrained else { return }
    if unsent.isEmpty { unsent = bytes } else { unsent += bytes }
    onUnsent?()
    scheduleFlush()
  }

  /// Ends the connection at once.
  public func close() {
    guard let watch else { return }
    watch.cancel()
    self.watch = nil
    (unsent, sentCount) = ([], 0)
    let onClose = onClose
    (onBytes, onEnd, self.onClose, onDrained, onUnsent) = (nil, nil, nil, nil, nil)
    shutdown(descriptor.number, Int32(SHUT_RDWR))
    onClose?()
  }

  /// Ends the connection when all that was given has been sent; nothing more is read.
  public func closeWhenDrained() {
    closesWhenDrained = true
    isReading = false
    scheduleFlush()
  }

  private func scheduleFlush() {
    guard !willFlush else { return }
    willFlush = true
    EventLoop.atEndOfTurn { self.flush() }
  }

  private func handle(_ ready: Interest) {
    if ready.contains(.writable) { flush() }
    if isReading, !ready.isDisjoint(with: [.readable, .closed]) {
      receive()
    } else if !ready.isDisjoint(with: .closed) {
      close()
    }
  }

  private func receive() {
    let count: Int?
    do { count = try descriptor.read(into: Self.buffer) } catch { return close() }
    guard let count else { return }
    guard count > 0 else {
      guard let onEnd else { return close() }
      isReading = false
      return onEnd()
    }
    onBytes?(UnsafeRawBufferPointer(rebasing: Self.buffer[..<count]))
    // What came may be a password, and whatever comes next may be shorter.
    Self.wipe(count)
  }

  /// What came may be a password, and whatever comes next may be shorter.
  private static func wipe(_ count: Int) {
    if let start = buffer.baseAddress { explicit_bzero(start, count) }
  }

  private func flush() {
    willFlush = false
    guard watch != nil else { return }
    let before = sentCount
    do {
      sentCount += try unsent.withUnsafeBytes { (bytes) throws(SystemError) in
        sentCount < bytes.count
          ? try descriptor.send(UnsafeRawBufferPointer(rebasing: bytes[sentCount...])) : 0
      }
    } catch {
      return close()
    }
    takenCount += sentCount - before
    if sentCount == unsent.count {
      // Memory that is given back keeps nothing of what was sent.
      unsent = []
      sentCount = 0
    } else if sentCount >= Self.readSize {
      // A client that never quite catches up must not make the buffer grow.
      unsent = Array(unsent[sentCount...])
      sentCount = 0
    }
    isWaitingToWrite = !unsent.isEmpty
    onUnsent?()
    guard unsent.isEmpty else { return }
    if closesWhenDrained { return closeInPeace() }
    onDrained?()
  }

  /// Ends the connection so that the other side sees its end: with something unread the kernel would make it an error.
  private func closeInPeace() {
    shutdown(descriptor.number, Int32(SHUT_RDWR))
    for _ in 0..<Self.mostReadsAtTheEnd {
      guard let count = try? descriptor.read(into: Self.buffer), count > 0 else { break }
      Self.wipe(count)
    }
    close()
  }

  private func updateInterest() {
    var interest: Interest = []
    if isReading { interest.insert(.readable) }
    if isWaitingToWrite { interest.insert(.writable) }
    watch?.interest = interest
  }
}
