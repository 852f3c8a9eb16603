internal import CSystemd

/// A method call on the bus, with its arguments.
public struct BusCall: Sendable {
  private let destination: String
  private let path: String
  private let interface: String
  private let method: String
  private let arguments: [BusValue]
  private let startsProgram: Bool

  /// Creates a call; `startsProgram`: true if the bus may start a program that implements the destination.
  public init(
    _ destination: String,
    _ path: String,
    _ interface: String,
    _ method: String,
    _ arguments: [BusValue] = [],
    startsProgram: Bool = false
  ) {
    (self.destination, self.path, self.interface) = (destination, path, interface)
    (self.method, self.arguments, self.startsProgram) = (method, arguments, startsProgram)
  }

  /// Returns a call of a method of the bus itself.
  static func toTheBus(_ method: String, _ arguments: [BusValue]) -> BusCall {
    BusCall("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", method, arguments)
  }

  /// Builds the message; the caller must unref it.
  func message(on bus: OpaquePointer) throws(BusError) -> OpaquePointer {
    var made: OpaquePointer?
    let code = sd_bus_message_new_method_call(bus, &made, destination, path, interface, method)
    guard code >= 0, let made else { throw .failed(code: -code) }
    do throws(BusError) {
      try BusError.check(sd_bus_message_set_auto_start(made, startsProgram ? 1 : 0))
      for argument in arguments { try argument.append(to: made) }
    } catch {
      sd_bus_message_unref(made)
      throw error
    }
    return made
  }
}

/// The reply to a call.
public struct BusReply: Sendable {
  /// The unique name of the connection that replied.
  public let sender: String?
  public let values: [BusValue]
}

/// A signal, possibly without its values.
public struct BusSignal: Sendable {
  /// The unique name of the connection that sent it.
  public let sender: String
  public let interface: String
  public let name: String
  public private(set) var values: [BusValue] = []

  /// Reads the header of a signal; `nil` if a field is missing.
  init?(headOf message: OpaquePointer) {
    guard let sender = sd_bus_message_get_sender(message),
      let interface = sd_bus_message_get_interface(message), let name = sd_bus_message_get_member(message)
    else { return nil }
    (self.sender, self.interface) = (String(cString: sender), String(cString: interface))
    self.name = String(cString: name)
  }

  func with(_ values: [BusValue]) -> BusSignal {
    var whole = self
    whole.values = values
    return whole
  }

  /// True for the signal by which the library reports the end of the connection.
  ///
  /// No other program can send it.
  var isEndOfBus: Bool { interface == "org.freedesktop.DBus.Local" && name == "Disconnected" }
}

/// The reason why a call failed.
public enum BusError: Error, Sendable {
  /// The bus is unreachable, or the message could not be built or sent.
  case failed(code: Int32)
  /// The called program, or the bus on its behalf, replied with an error of this name.
  case refused(name: String)
  case timedOut
  /// The reply does not have the values of the method.
  case malformed
  /// The connection to the bus has ended.
  case disconnected

  static func check(_ code: Int32) throws(BusError) { if code < 0 { throw .failed(code: -code) } }
}
