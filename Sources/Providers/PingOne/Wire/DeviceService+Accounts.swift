internal import CourierProtocol
internal import EventLoop
internal import JSON

extension DeviceService {
  /// PUT /users/{userId}/nickname.
  package func setNickname(
    _ credentials: DeviceCredentials,
    user: String,
    _ nickname: String
  ) async throws(PlatformError) {
    let call = DeviceCall(
      method: .put,
      path: "/users/\(user)/nickname",
      body: ["nickname": .string(nickname)]
    )
    _ = try await send(call, as: credentials).succeeded()
  }

  /// DELETE /users/{userId}; a user that the platform has unpaired before is unpaired.
  package func unpair(_ credentials: DeviceCredentials, user: String) async throws(PlatformError) {
    let response = try await send(DeviceCall(method: .delete, path: "/users/\(user)"), as: credentials)
    if response.status == 404 { return }
    _ = try response.succeeded()
  }
}
