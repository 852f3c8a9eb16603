public import EventLoop
import Glibc
public import SystemCalls
public import UnixSockets

/// A stream connection on the loop.
///
/// Received bytes are delivered immediately; bytes to send are written at the end of the loop iteration.
@EventLoop
public final class StreamConnection {
  /// Called with the received bytes, never with an empty buffer.
  public var onBytes: (@EventLoop (UnsafeRawBufferPointer) -> Void)?
  /// Called when the peer will send no more, but may still read; if `nil`, the connection is closed then.
  public var onEnd: (@EventLoop () -> Void)?
  /// Called once when the connection has ended, no matter which side ended it.
  public var onClose: (@EventLoop () -> Void)?
  /// Called when all bytes to send have been passed to the kernel.
  public var onDrained: (@EventLoop () -> Void)?

  /// Called when the number of unsent bytes has changed.
  public var onUnsent: (@EventLoop () -> Void)?

  /// True if data is read; otherwise the peer has to wait.
  public var isReading = true {
    didSet {
      if isReading != oldValue { updateInterest() }
    }
  }

  /// Number of unsent bytes.
  public var unsentCount: Int { unsent.count - sentCount }

  /// Size of the memory allocated for unsent bytes.
  public var heldCount: Int { unsent.capacity }

  /// True if the kernel accepts no more bytes, because the peer does not read.
  public var isStuck: Bool { isWaitingToWrite }

  /// Number of bytes that the kernel has accepted since the start of the connection.
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

  /// Takes ownership of a connected socket; nothing is read before `start`.
  public init(_ descriptor: Descriptor) { self.descriptor = descriptor }

  /// Starts reading and sending.
  public func start() throws(SystemError) {
    try descriptor.setNonBlocking()
    watch = try EventLoop.watch(descriptor.number, for: .readable) { [weak self] ready in self?.handle(ready)
    }
  }

  /// Returns the credentials of the peer.
  public func peer() throws(SystemError) -> Peer { try UnixSocket.peer(of: descriptor) }

  /// Queues bytes, which are written together with earlier bytes at the end of the loop iteration.
  public func send(_ bytes: [UInt8]) {
    guard watch != nil, !closesWhenDrained else { return }
    if unsent.isEmpty { unsent = bytes } else { unsent += bytes }
    onUnsent?()
    scheduleFlush()
  }

  /// Ends the connection immediately.
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

  /// Ends the connection once all queued bytes have been sent; stops reading.
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
    Self.wipe(count)
  }

  /// Overwrites received bytes, which may contain a password; the next read may overwrite only some of them.
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
      // Releases the buffer, so that no sent bytes stay in it.
      unsent = []
      sentCount = 0
    } else if sentCount >= Self.readSize {
      // Sent bytes are removed, so that the buffer does not grow without limit if a client is always a little
      // too slow.
      unsent = Array(unsent[sentCount...])
      sentCount = 0
    }
    isWaitingToWrite = !unsent.isEmpty
    onUnsent?()
    guard unsent.isEmpty else { return }
    if closesWhenDrained { return closeInPeace() }
    onDrained?()
  }

  /// Reads pending data and closes the connection; with unread data, the kernel would reset the connection.
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
