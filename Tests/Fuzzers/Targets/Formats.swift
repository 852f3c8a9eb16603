import Configuration
import ControlAPI
import JSON
import JSONRPC

extension FuzzTarget {
  /// Formats that every program reads, and the control socket.
  static let formats = [
    FuzzTarget("json") { bytes in
      let value = try JSON(parsing: bytes)
      let again = try JSON(parsing: value.serialized)
      require(again == value, "what was written reads as what was read")
    },
    FuzzTarget("line-framing", maximumLength: 2048) { bytes in
      guard let first = bytes.first else { return }
      let (limit, stream) = (Int(first), Array(bytes.dropFirst()))
      let whole = lines(of: [stream], limit)
      // The lines of a stream do not depend on how it is split. Only the time of reporting a long line may
      // differ.
      let pieces = stride(from: 0, to: stream.count, by: limit % 7 + 1).map { start in
        Array(stream[start..<min(start + limit % 7 + 1, stream.count)])
      }
      require(lines(of: pieces, limit) == whole, "lines do not depend on how the stream was cut")
      require(whole.allSatisfy { ($0?.count ?? 0) <= limit }, "no line is longer than allowed")
    },
    FuzzTarget("json-rpc") { bytes in
      switch try RPCMessage(parsing: bytes) {
      case .single(let request): try read(request.get())
      case .batch(let requests):
        for request in requests { try? read(request.get()) }
      }
    },
    FuzzTarget(text: "configuration") { text in
      _ = try Configuration(parsing: text, file: "mfad.conf")
    },
  ]

  /// Returns the lines of a stream that arrived in parts; `nil` for a line that was too long.
  private static func lines(of pieces: [[UInt8]], _ limit: Int) -> [[UInt8]?] {
    var framer = LineFramer(maximumLength: limit)
    var lines: [[UInt8]?] = []
    for piece in pieces {
      piece.withUnsafeBytes { framer.take($0) }
      while let event = framer.next() {
        switch event {
        case .line(let line): lines.append(line)
        case .tooLong: lines.append(nil)
        }
      }
    }
    return lines
  }

  /// Parses a request and the parameters of its method.
  private static func read(_ request: RPCRequest) throws {
    guard let method = MethodTable.all.first(where: { $0.name == request.method }) else { return }
    _ = try method.init(parsing: request.params)
  }
}
