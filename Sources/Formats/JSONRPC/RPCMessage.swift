public import JSON

/// A method call, JSON-RPC 2.0 section 4.
public struct RPCRequest: Sendable {
  public let method: String
  /// The parameters: an object, an array, or none.
  public let params: JSON?
  /// The id as written, which the reply repeats; `nil` for a notification, which gets no reply.
  public let id: RequestID?
}

/// The id of a request, in its original bytes.
public struct RequestID: Sendable, Hashable {
  /// The bytes of the JSON value.
  public let bytes: [UInt8]

  /// Maximum length of an id in bytes, without quotation marks.
  public static let maximumLength = 256

  /// The id of a reply to an unreadable request.
  public static let null = RequestID(bytes: Array("null".utf8))
}

/// The contents of a line.
public enum RPCMessage: Sendable {
  /// A request, or the reason why it is invalid.
  case single(Result<RPCRequest, RPCError>)
  /// A batch. Each of its requests is handled separately.
  case batch([Result<RPCRequest, RPCError>])

  /// Maximum number of requests in a batch.
  public static let maximumBatch = 16

  public init(parsing line: [UInt8]) throws(RPCError) {
    switch try Self.json(line) {
    case .array(let elements):
      guard !elements.isEmpty else { throw .invalidRequest }
      guard elements.count <= Self.maximumBatch else { throw .batchTooLarge }
      self = .batch(elements.map { Self.request($0, line) })
    case let value: self = .single(Self.request(value, line))
    }
  }

  private static func json(_ line: [UInt8]) throws(RPCError) -> JSON {
    do { return try JSON(parsing: line) } catch {
      switch error {
      case .malformed: throw .parseError
      case .duplicateName: throw .duplicateName
      case .tooDeep: throw .nestingTooDeep
      case .tooManyValues(let maximum):
        throw .requestTooLarge.withMessage(
          "the request has more than \(maximum) JSON values, the maximum for its length"
        )
      }
    }
  }

  private static func request(_ value: JSON, _ line: [UInt8]) -> Result<RPCRequest, RPCError> {
    guard let object = value.object, object["jsonrpc"]?.string == "2.0", let method = object["method"]?.string
    else {
      return .failure(.invalidRequest)
    }
    var id: RequestID?
    if let member = object.member("id") {
      guard let read = RequestID(member, line) else { return .failure(.invalidRequest) }
      id = read
    }
    switch object["params"] {
    case nil, .object, .array: return .success(RPCRequest(method: method, params: object["params"], id: id))
    default: return .failure(.invalidRequest)
    }
  }
}

extension RequestID {
  fileprivate init?(_ member: JSONObject.Member, _ line: [UInt8]) {
    switch member.value {
    case .string, .number, .null:
      guard member.source.count <= Self.maximumLength + 2 else { return nil }
      self.init(bytes: Array(line[member.source]))
    default: return nil
    }
  }
}
