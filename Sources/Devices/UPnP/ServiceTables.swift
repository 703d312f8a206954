import RollcallWire

/// The actions and variables of services of the UPnP Forum that simulated devices have.
///
/// A line is a service, a variable (`event`: sent to subscribers), or an action with its arguments. Behind a variable stand
/// its type, its first value, and the values that it may take. `like` takes over everything of another service.
enum ServiceTables {
  static let text = lighting + media + transport + gateway + protection

  private static let lighting = """
    service SwitchPower:1
    variable Target boolean 0
    event Status boolean 0
    action SetTarget in newTargetValue Target
    action GetTarget out RetTargetValue Target
    action GetStatus out ResultStatus Status

    service Dimming:1
    variable LoadLevelTarget ui1 0 0..100
    event LoadLevelStatus ui1 0 0..100
    action SetLoadLevelTarget in newLoadlevelTarget LoadLevelTarget
    action GetLoadLevelTarget out GetLoadlevelTarget LoadLevelTarget
    action GetLoadLevelStatus out retLoadlevelStatus LoadLevelStatus


    """

  private static let media = """
    service ConnectionManager:1
    event SourceProtocolInfo string -
    event SinkProtocolInfo string http-get:*:*:*
    event CurrentConnectionIDs string 0
    variable A_ARG_TYPE_ConnectionStatus string Unknown OK|ContentFormatMismatch|InsufficientBandwidth|UnreliableChannel|Unknown
    variable A_ARG_TYPE_ConnectionManager string -
    variable A_ARG_TYPE_Direction string Input Input|Output
    variable A_ARG_TYPE_ProtocolInfo string -
    variable A_ARG_TYPE_ConnectionID i4 -1
    variable A_ARG_TYPE_AVTransportID i4 -1
    variable A_ARG_TYPE_RcsID i4 -1
    action GetProtocolInfo out Source SourceProtocolInfo out Sink SinkProtocolInfo
    action GetCurrentConnectionIDs out ConnectionIDs CurrentConnectionIDs
    action GetCurrentConnectionInfo in ConnectionID A_ARG_TYPE_ConnectionID out RcsID A_ARG_TYPE_RcsID out AVTransportID A_ARG_TYPE_AVTransportID out ProtocolInfo A_ARG_TYPE_ProtocolInfo out PeerConnectionManager A_ARG_TYPE_ConnectionManager out PeerConnectionID A_ARG_TYPE_ConnectionID out Direction A_ARG_TYPE_Direction out Status A_ARG_TYPE_ConnectionStatus

    service ContentDirectory:1
    variable SearchCapabilities string -
    variable SortCapabilities string -
    event SystemUpdateID ui4 0
    variable A_ARG_TYPE_ObjectID string 0
    variable A_ARG_TYPE_Result string -
    variable A_ARG_TYPE_BrowseFlag string BrowseMetadata BrowseMetadata|BrowseDirectChildren
    variable A_ARG_TYPE_Filter string -
    variable A_ARG_TYPE_SortCriteria string -
    variable A_ARG_TYPE_Index ui4 0
    variable A_ARG_TYPE_Count ui4 0
    variable A_ARG_TYPE_UpdateID ui4 0
    action GetSearchCapabilities out SearchCaps SearchCapabilities
    action GetSortCapabilities out SortCaps SortCapabilities
    action GetSystemUpdateID out Id SystemUpdateID
    action Browse in ObjectID A_ARG_TYPE_ObjectID in BrowseFlag A_ARG_TYPE_BrowseFlag in Filter A_ARG_TYPE_Filter in StartingIndex A_ARG_TYPE_Index in RequestedCount A_ARG_TYPE_Count in SortCriteria A_ARG_TYPE_SortCriteria out Result A_ARG_TYPE_Result out NumberReturned A_ARG_TYPE_Count out TotalMatches A_ARG_TYPE_Count out UpdateID A_ARG_TYPE_UpdateID

    service RenderingControl:1
    event LastChange string -
    variable PresetNameList string FactoryDefaults
    variable Mute boolean 0
    variable Volume ui2 20 0..100
    variable A_ARG_TYPE_Channel string Master Master|LF|RF
    variable A_ARG_TYPE_InstanceID ui4 0
    variable A_ARG_TYPE_PresetName string FactoryDefaults FactoryDefaults|InstallationDefaults
    action ListPresets in InstanceID A_ARG_TYPE_InstanceID out CurrentPresetNameList PresetNameList
    action SelectPreset in InstanceID A_ARG_TYPE_InstanceID in PresetName A_ARG_TYPE_PresetName
    action GetMute in InstanceID A_ARG_TYPE_InstanceID in Channel A_ARG_TYPE_Channel out CurrentMute Mute
    action SetMute in InstanceID A_ARG_TYPE_InstanceID in Channel A_ARG_TYPE_Channel in DesiredMute Mute
    action GetVolume in InstanceID A_ARG_TYPE_InstanceID in Channel A_ARG_TYPE_Channel out CurrentVolume Volume
    action SetVolume in InstanceID A_ARG_TYPE_InstanceID in Channel A_ARG_TYPE_Channel in DesiredVolume Volume

    service X_MS_MediaReceiverRegistrar:1
    event AuthorizationGrantedUpdateID ui4 0
    event AuthorizationDeniedUpdateID ui4 0
    event ValidationSucceededUpdateID ui4 0
    event ValidationRevokedUpdateID ui4 0
    variable A_ARG_TYPE_DeviceID string -
    variable A_ARG_TYPE_Result int 1
    variable A_ARG_TYPE_RegistrationReqMsg bin.base64 -
    variable A_ARG_TYPE_RegistrationRespMsg bin.base64 -
    action IsAuthorized in DeviceID A_ARG_TYPE_DeviceID out Result A_ARG_TYPE_Result
    action RegisterDevice in RegistrationReqMsg A_ARG_TYPE_RegistrationReqMsg out RegistrationRespMsg A_ARG_TYPE_RegistrationRespMsg
    action IsValidated in DeviceID A_ARG_TYPE_DeviceID out Result A_ARG_TYPE_Result


    """

  private static let transport = """
    service AVTransport:1
    event LastChange string -
    variable TransportState string NO_MEDIA_PRESENT STOPPED|PLAYING|TRANSITIONING|PAUSED_PLAYBACK|NO_MEDIA_PRESENT
    variable TransportStatus string OK OK|ERROR_OCCURRED
    variable PlaybackStorageMedium string NONE UNKNOWN|NETWORK|NONE
    variable RecordStorageMedium string NOT_IMPLEMENTED NOT_IMPLEMENTED
    variable PossiblePlaybackStorageMedia string NETWORK
    variable PossibleRecordStorageMedia string NOT_IMPLEMENTED
    variable CurrentPlayMode string NORMAL NORMAL|REPEAT_ALL
    variable TransportPlaySpeed string 1
    variable RecordMediumWriteStatus string NOT_IMPLEMENTED NOT_IMPLEMENTED
    variable CurrentRecordQualityMode string NOT_IMPLEMENTED NOT_IMPLEMENTED
    variable PossibleRecordQualityModes string NOT_IMPLEMENTED
    variable NumberOfTracks ui4 0
    variable CurrentTrack ui4 0
    variable CurrentTrackDuration string 0:00:00
    variable CurrentMediaDuration string 0:00:00
    variable CurrentTrackMetaData string -
    variable CurrentTrackURI string -
    variable AVTransportURI string -
    variable AVTransportURIMetaData string -
    variable NextAVTransportURI string -
    variable NextAVTransportURIMetaData string -
    variable RelativeTimePosition string 0:00:00
    variable AbsoluteTimePosition string 0:00:00
    variable RelativeCounterPosition i4 2147483647
    variable AbsoluteCounterPosition i4 2147483647
    variable CurrentTransportActions string -
    variable A_ARG_TYPE_SeekMode string REL_TIME REL_TIME|TRACK_NR
    variable A_ARG_TYPE_SeekTarget string -
    variable A_ARG_TYPE_InstanceID ui4 0
    action SetAVTransportURI in InstanceID A_ARG_TYPE_InstanceID in CurrentURI AVTransportURI in CurrentURIMetaData AVTransportURIMetaData
    action GetMediaInfo in InstanceID A_ARG_TYPE_InstanceID out NrTracks NumberOfTracks out MediaDuration CurrentMediaDuration out CurrentURI AVTransportURI out CurrentURIMetaData AVTransportURIMetaData out NextURI NextAVTransportURI out NextURIMetaData NextAVTransportURIMetaData out PlayMedium PlaybackStorageMedium out RecordMedium RecordStorageMedium out WriteStatus RecordMediumWriteStatus
    action GetTransportInfo in InstanceID A_ARG_TYPE_InstanceID out CurrentTransportState TransportState out CurrentTransportStatus TransportStatus out CurrentSpeed TransportPlaySpeed
    action GetPositionInfo in InstanceID A_ARG_TYPE_InstanceID out Track CurrentTrack out TrackDuration CurrentTrackDuration out TrackMetaData CurrentTrackMetaData out TrackURI CurrentTrackURI out RelTime RelativeTimePosition out AbsTime AbsoluteTimePosition out RelCount RelativeCounterPosition out AbsCount AbsoluteCounterPosition
    action GetDeviceCapabilities in InstanceID A_ARG_TYPE_InstanceID out PlayMedia PossiblePlaybackStorageMedia out RecMedia PossibleRecordStorageMedia out RecQualityModes PossibleRecordQualityModes
    action GetTransportSettings in InstanceID A_ARG_TYPE_InstanceID out PlayMode CurrentPlayMode out RecQualityMode CurrentRecordQualityMode
    action GetCurrentTransportActions in InstanceID A_ARG_TYPE_InstanceID out Actions CurrentTransportActions
    action Stop in InstanceID A_ARG_TYPE_InstanceID
    action Play in InstanceID A_ARG_TYPE_InstanceID in Speed TransportPlaySpeed
    action Pause in InstanceID A_ARG_TYPE_InstanceID
    action Seek in InstanceID A_ARG_TYPE_InstanceID in Unit A_ARG_TYPE_SeekMode in Target A_ARG_TYPE_SeekTarget
    action Next in InstanceID A_ARG_TYPE_InstanceID
    action Previous in InstanceID A_ARG_TYPE_InstanceID


    """

  private static let gateway = """
    service Layer3Forwarding:1
    event DefaultConnectionService string -
    action SetDefaultConnectionService in NewDefaultConnectionService DefaultConnectionService
    action GetDefaultConnectionService out NewDefaultConnectionService DefaultConnectionService

    service WANCommonInterfaceConfig:1
    variable WANAccessType string Ethernet DSL|POTS|Cable|Ethernet
    variable Layer1UpstreamMaxBitRate ui4 0
    variable Layer1DownstreamMaxBitRate ui4 0
    event PhysicalLinkStatus string Up Up|Down
    variable TotalBytesSent ui4 0
    variable TotalBytesReceived ui4 0
    variable TotalPacketsSent ui4 0
    variable TotalPacketsReceived ui4 0
    action GetCommonLinkProperties out NewWANAccessType WANAccessType out NewLayer1UpstreamMaxBitRate Layer1UpstreamMaxBitRate out NewLayer1DownstreamMaxBitRate Layer1DownstreamMaxBitRate out NewPhysicalLinkStatus PhysicalLinkStatus
    action GetTotalBytesSent out NewTotalBytesSent TotalBytesSent
    action GetTotalBytesReceived out NewTotalBytesReceived TotalBytesReceived
    action GetTotalPacketsSent out NewTotalPacketsSent TotalPacketsSent
    action GetTotalPacketsReceived out NewTotalPacketsReceived TotalPacketsReceived

    service WANIPConnection:1
    variable ConnectionType string IP_Routed
    event PossibleConnectionTypes string IP_Routed Unconfigured|IP_Routed|IP_Bridged
    event ConnectionStatus string Connected Unconfigured|Connecting|Connected|PendingDisconnect|Disconnecting|Disconnected
    variable Uptime ui4 0
    variable LastConnectionError string ERROR_NONE ERROR_NONE|ERROR_UNKNOWN
    variable RSIPAvailable boolean 0
    variable NATEnabled boolean 1
    event ExternalIPAddress string -
    event PortMappingNumberOfEntries ui2 0
    variable PortMappingEnabled boolean 0
    variable PortMappingLeaseDuration ui4 0
    variable RemoteHost string -
    variable ExternalPort ui2 0
    variable InternalPort ui2 0
    variable PortMappingProtocol string TCP TCP|UDP
    variable InternalClient string -
    variable PortMappingDescription string -
    action SetConnectionType in NewConnectionType ConnectionType
    action GetConnectionTypeInfo out NewConnectionType ConnectionType out NewPossibleConnectionTypes PossibleConnectionTypes
    action RequestConnection
    action ForceTermination
    action GetStatusInfo out NewConnectionStatus ConnectionStatus out NewLastConnectionError LastConnectionError out NewUptime Uptime
    action GetNATRSIPStatus out NewRSIPAvailable RSIPAvailable out NewNATEnabled NATEnabled
    action GetGenericPortMappingEntry in NewPortMappingIndex PortMappingNumberOfEntries out NewRemoteHost RemoteHost out NewExternalPort ExternalPort out NewProtocol PortMappingProtocol out NewInternalPort InternalPort out NewInternalClient InternalClient out NewEnabled PortMappingEnabled out NewPortMappingDescription PortMappingDescription out NewLeaseDuration PortMappingLeaseDuration
    action GetSpecificPortMappingEntry in NewRemoteHost RemoteHost in NewExternalPort ExternalPort in NewProtocol PortMappingProtocol out NewInternalPort InternalPort out NewInternalClient InternalClient out NewEnabled PortMappingEnabled out NewPortMappingDescription PortMappingDescription out NewLeaseDuration PortMappingLeaseDuration
    action AddPortMapping in NewRemoteHost RemoteHost in NewExternalPort ExternalPort in NewProtocol PortMappingProtocol in NewInternalPort InternalPort in NewInternalClient InternalClient in NewEnabled PortMappingEnabled in NewPortMappingDescription PortMappingDescription in NewLeaseDuration PortMappingLeaseDuration
    action DeletePortMapping in NewRemoteHost RemoteHost in NewExternalPort ExternalPort in NewProtocol PortMappingProtocol
    action GetExternalIPAddress out NewExternalIPAddress ExternalIPAddress

    service WANIPConnection:2 like WANIPConnection:1
    event SystemUpdateID ui4 0
    variable A_ARG_TYPE_Manage boolean 0
    variable A_ARG_TYPE_PortListing string -
    action DeletePortMappingRange in NewStartPort ExternalPort in NewEndPort ExternalPort in NewProtocol PortMappingProtocol in NewManage A_ARG_TYPE_Manage
    action GetListOfPortMappings in NewStartPort ExternalPort in NewEndPort ExternalPort in NewProtocol PortMappingProtocol in NewManage A_ARG_TYPE_Manage in NewNumberOfPorts PortMappingNumberOfEntries out NewPortListing A_ARG_TYPE_PortListing
    action AddAnyPortMapping in NewRemoteHost RemoteHost in NewExternalPort ExternalPort in NewProtocol PortMappingProtocol in NewInternalPort InternalPort in NewInternalClient InternalClient in NewEnabled PortMappingEnabled in NewPortMappingDescription PortMappingDescription in NewLeaseDuration PortMappingLeaseDuration out NewReservedPort ExternalPort

    service WANPPPConnection:1 like WANIPConnection:1
    variable UpstreamMaxBitRate ui4 0
    variable DownstreamMaxBitRate ui4 0
    action GetLinkLayerMaxBitRates out NewUpstreamMaxBitRate UpstreamMaxBitRate out NewDownstreamMaxBitRate DownstreamMaxBitRate

    service WANIPv6FirewallControl:1
    event FirewallEnabled boolean 1
    event InboundPinholeAllowed boolean 0
    variable A_ARG_TYPE_OutboundPinholeTimeout ui4 0
    variable A_ARG_TYPE_IPv6Address string -
    variable A_ARG_TYPE_Port ui2 0
    variable A_ARG_TYPE_Protocol ui2 0
    variable A_ARG_TYPE_LeaseTime ui4 3600 1..86400
    variable A_ARG_TYPE_UniqueID ui2 0
    variable A_ARG_TYPE_PinholePackets ui4 0
    action GetFirewallStatus out FirewallEnabled FirewallEnabled out InboundPinholeAllowed InboundPinholeAllowed
    action GetOutboundPinholeTimeout in RemoteHost A_ARG_TYPE_IPv6Address in RemotePort A_ARG_TYPE_Port in InternalClient A_ARG_TYPE_IPv6Address in InternalPort A_ARG_TYPE_Port in Protocol A_ARG_TYPE_Protocol out OutboundPinholeTimeout A_ARG_TYPE_OutboundPinholeTimeout
    action AddPinhole in RemoteHost A_ARG_TYPE_IPv6Address in RemotePort A_ARG_TYPE_Port in InternalClient A_ARG_TYPE_IPv6Address in InternalPort A_ARG_TYPE_Port in Protocol A_ARG_TYPE_Protocol in LeaseTime A_ARG_TYPE_LeaseTime out UniqueID A_ARG_TYPE_UniqueID
    action UpdatePinhole in UniqueID A_ARG_TYPE_UniqueID in NewLeaseTime A_ARG_TYPE_LeaseTime
    action DeletePinhole in UniqueID A_ARG_TYPE_UniqueID
    action GetPinholePackets in UniqueID A_ARG_TYPE_UniqueID out PinholePackets A_ARG_TYPE_PinholePackets


    """

  private static let protection = """
    service DeviceProtection:1
    event SetupReady boolean 0
    variable SupportedProtocols string -
    variable A_ARG_TYPE_ACL string -
    variable A_ARG_TYPE_IdentityList string -
    variable A_ARG_TYPE_Identity string -
    variable A_ARG_TYPE_Base64 bin.base64 -
    variable A_ARG_TYPE_String string -
    action SendSetupMessage in ProtocolType A_ARG_TYPE_String in InMessage A_ARG_TYPE_Base64 out OutMessage A_ARG_TYPE_Base64
    action GetSupportedProtocols out ProtocolList SupportedProtocols
    action GetAssignedRoles out RoleList A_ARG_TYPE_String
    action GetRolesForAction in DeviceUDN A_ARG_TYPE_String in ServiceId A_ARG_TYPE_String in ActionName A_ARG_TYPE_String out RoleList A_ARG_TYPE_String out RestrictedRoleList A_ARG_TYPE_String
    action GetUserLoginChallenge in ProtocolType A_ARG_TYPE_String in Name A_ARG_TYPE_String out Salt A_ARG_TYPE_Base64 out Challenge A_ARG_TYPE_Base64
    action UserLogin in ProtocolType A_ARG_TYPE_String in Challenge A_ARG_TYPE_Base64 in Authenticator A_ARG_TYPE_Base64
    action UserLogout
    action GetACLData out ACL A_ARG_TYPE_ACL
    action AddIdentityList in IdentityList A_ARG_TYPE_IdentityList out IdentityListResult A_ARG_TYPE_IdentityList
    action RemoveIdentity in Identity A_ARG_TYPE_Identity
    action SetUserLoginPassword in ProtocolType A_ARG_TYPE_String in Name A_ARG_TYPE_String in Stored A_ARG_TYPE_Base64 in Salt A_ARG_TYPE_Base64
    action AddRolesForIdentity in Identity A_ARG_TYPE_Identity in RoleList A_ARG_TYPE_String
    action RemoveRolesForIdentity in Identity A_ARG_TYPE_Identity in RoleList A_ARG_TYPE_String

    """
}
