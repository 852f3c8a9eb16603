internal import ControlAPI
internal import EventLoop

/// The ways to sign on by their names.
enum FlowTable {
  typealias Make = @EventLoop @Sendable (Login) throws -> any SignOnFlow

  static let all: [LoginMethod: Make] = [
    .signon: { try PiFlow($0, method: .signon) },
    .davinci: { try PiFlow($0, method: .davinci) },
    .redirect: { try BrowserFlow($0) },
    .journey: { try JourneyFlow($0) },
    .device: { try DeviceFlow($0) },
  ]
}
