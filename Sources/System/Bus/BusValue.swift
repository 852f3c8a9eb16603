internal import CSystemd

/// A D-Bus value of a type that this project uses.
public indirect enum BusValue: Sendable, Equatable {
  case bool(Bool)
  case byte(UInt8)
  case int32(Int32)
  case uint32(UInt32)
  case string(String)
  case objectPath(String)
  case strings([String])
  /// Values by their names, each of any type.
  case options([String: BusValue])
  case variant(BusValue)

  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  public var uint32: UInt32? { if case .uint32(let value) = self { value } else { nil } }
  public var string: String? { if case .string(let value) = self { value } else { nil } }
  public var strings: [String]? { if case .strings(let value) = self { value } else { nil } }
  /// The value in a variant; `nil` for other types.
  public var content: BusValue? { if case .variant(let value) = self { value } else { nil } }

  private var signature: String {
    switch self {
    case .bool: "b"
    case .byte: "y"
    case .int32: "i"
    case .uint32: "u"
    case .string: "s"
    case .objectPath: "o"
    case .strings: "as"
    case .options: "a{sv}"
    case .variant: "v"
    }
  }

  func append(to message: OpaquePointer) throws(BusError) {
    switch self {
    case .bool(let value): try Self.append("b", value ? 1 as Int32 : 0, to: message)
    case .byte(let value): try Self.append("y", value, to: message)
    case .int32(let value): try Self.append("i", value, to: message)
    case .uint32(let value): try Self.append("u", value, to: message)
    case .string(let value): try Self.append("s", value, to: message)
    case .objectPath(let value): try Self.append("o", value, to: message)
    case .strings(let values):
      try Self.contain("a", "s", in: message) { () throws(BusError) in
        for value in values { try Self.append("s", value, to: message) }
      }
    case .options(let values):
      try Self.contain("a", "{sv}", in: message) { () throws(BusError) in
        for (name, value) in values {
          try Self.contain("e", "sv", in: message) { () throws(BusError) in
            try Self.append("s", name, to: message)
            try BusValue.variant(value).append(to: message)
          }
        }
      }
    case .variant(let value):
      try Self.contain("v", value.signature, in: message) { () throws(BusError) in
        try value.append(to: message)
      }
    }
  }

  private static func append(_ type: Character, _ value: some BitwiseCopyable, to message: OpaquePointer)
    throws(BusError)
  {
    var value = value
    try BusError.check(sd_bus_message_append_basic(message, type.code, &value))
  }

  private static func append(_ type: Character, _ value: String, to message: OpaquePointer) throws(BusError) {
    try BusError.check(value.withCString { sd_bus_message_append_basic(message, type.code, $0) })
  }

  private static func contain(
    _ type: Character,
    _ contents: String,
    in message: OpaquePointer,
    _ body: () throws(BusError) -> Void
  ) throws(BusError) {
    try BusError.check(sd_bus_message_open_container(message, type.code, contents))
    try body()
    try BusError.check(sd_bus_message_close_container(message))
  }
}

extension Character {
  /// The character as a C char.
  var code: CChar { CChar(asciiValue ?? 0) }
}
