internal import Approvals
internal import EventLoop
internal import Machine
internal import PingAM
internal import PingOne
internal import Vault

extension PingAMServices {
  @EventLoop
  init(
    _ core: Core,
    accounts: AMAccounts,
    server: AMServer,
    approvals: Approvals,
    channels: PushChannels
  ) {
    self.accounts = accounts
    let device = AMDevice(name: MachineNames().host) { [channels] in try channels.token(of: $0) }
    refresh = AMTokenRefresh(core, accounts: accounts, server: server, device: device)
    channels.whenChanged { [refresh] in try refresh.addressChanged(of: $0) }
    enroller = AMEnroller(accounts: accounts, server: server, device: device, refresh: refresh)
    pushes = AMPushes(core, accounts: accounts, approvals: approvals)
    approvals.register(AMPushApprover(core, accounts: accounts, server: server, approvals: approvals))
  }
}
