/* A small control point over libgssdp, as an application would write it: what the library tells is printed, and searches are
 * asked for on standard input. It knows nothing of virtual time; printed-lines.c makes frames of its lines.
 *
 *   search 1 3 2 3000 -1 ssdp:all    number, MX, how often, milliseconds from one to the next, interface (-1: all), target
 *   stop-search 1
 *   stop
 *   interfaces                       there are others than before
 */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <libgssdp/gssdp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CLIENTS = 32 };

/* One for each interface and family. */
typedef struct {
  GSSDPClient *client;
  GSSDPResourceBrowser *browser;
  char name[IF_NAMESIZE];
  int family;
  char address[INET6_ADDRSTRLEN];
} Place;

typedef struct {
  guint number;
  GHashTable *heard;
  GSSDPResourceBrowser *browsers[CLIENTS];
  guint timer;
} Search;

static Place places[CLIENTS];
static GHashTable *searches;
/* By USN: the places where it is. */
static GHashTable *resources;
static gboolean stopped;

static guint where(const char *usn) { return GPOINTER_TO_UINT(g_hash_table_lookup(resources, usn)); }

/* The library tells of a resource on each interface; an application tells of it once. */
static void available(GSSDPResourceBrowser *browser, const char *usn, GList *locations, gpointer data)
{
  guint before = where(usn), bit = 1u << GPOINTER_TO_UINT(data);
  (void)browser;
  g_hash_table_insert(resources, g_strdup(usn), GUINT_TO_POINTER(before | bit));
  if (!before)
    printf("resource available\n  USN:      %s\n  Location: %s\n", usn, locations ? (char *)locations->data : "");
}

static void unavailable(GSSDPResourceBrowser *browser, const char *usn, gpointer data)
{
  guint rest = where(usn) & ~(1u << GPOINTER_TO_UINT(data));
  (void)browser;
  if (rest) {
    g_hash_table_insert(resources, g_strdup(usn), GUINT_TO_POINTER(rest));
  } else {
    printf("resource unavailable\n  USN:      %s\n", usn);
    g_hash_table_remove(resources, usn);
  }
}

static void heard(GSSDPResourceBrowser *browser, const char *usn, GList *locations, gpointer data)
{
  Search *search = data;
  (void)browser;
  if (!g_hash_table_add(search->heard, g_strdup(usn))) return;
  printf("search %u heard\n  USN:      %s\n  Location: %s\n", search->number, usn, locations ? (char *)locations->data : "");
}

/* Puts away what a search has on one interface. */
static void leave(Search *search, guint place)
{
  if (!search->browsers[place]) return;
  g_signal_handlers_disconnect_by_data(search->browsers[place], search);
  g_clear_object(&search->browsers[place]);
}

static void end_search(Search *search, const char *how)
{
  for (guint i = 0; i < CLIENTS; i++) leave(search, i);
  printf("search %u %s\n", search->number, how);
  g_hash_table_unref(search->heard);
  g_hash_table_remove(searches, GUINT_TO_POINTER(search->number));
}

static gboolean is_over(gpointer data)
{
  end_search(data, "ended");
  return G_SOURCE_REMOVE;
}

/* A browser sends three copies half a second apart, whatever is asked for; it takes answers until it is put away. */
static void begin_search(guint number, guint mx, guint copies, guint spacing, int interface, const char *target)
{
  gboolean is_online = FALSE;
  for (guint i = 0; i < CLIENTS; i++) is_online |= places[i].client != NULL;
  if (!*target || mx == 0 || mx > G_MAXUSHORT || g_hash_table_contains(searches, GUINT_TO_POINTER(number))) {
    printf("search %u impossible\n", number);
    return;
  }
  if (!is_online) {
    printf("search %u offline\n", number);
    return;
  }
  Search *search = g_new0(Search, 1);
  search->number = number;
  search->heard = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_hash_table_insert(searches, GUINT_TO_POINTER(number), search);
  char name[IF_NAMESIZE];
  snprintf(name, sizeof name, "if%d", interface);
  for (guint i = 0; i < CLIENTS; i++) {
    if (!places[i].client || (interface >= 0 && strcmp(name, places[i].name))) continue;
    GSSDPResourceBrowser *browser = search->browsers[i] = gssdp_resource_browser_new(places[i].client, target);
    gssdp_resource_browser_set_mx(browser, (gushort)mx);
    g_signal_connect(browser, "resource-available", G_CALLBACK(heard), search);
    gssdp_resource_browser_set_active(browser, TRUE);
  }
  search->timer = g_timeout_add((copies ? copies - 1 : 0) * spacing + mx * 1000 + 100, is_over, search);
}

static void stop(void)
{
  GList *all = g_hash_table_get_values(searches);
  for (GList *one = all; one; one = one->next) {
    g_source_remove(((Search *)one->data)->timer);
    end_search(one->data, "stopped");
  }
  g_list_free(all);
  for (guint i = 0; i < CLIENTS; i++)
    if (places[i].client) gssdp_resource_browser_set_active(places[i].browser, FALSE);
  stopped = TRUE;
}

static void open_place(const char *name, int family, const char *address)
{
  guint number = 0;
  while (number < CLIENTS && places[number].client) number++;
  if (number == CLIENTS) return;
  Place *place = &places[number];
  GError *error = NULL;
  place->client = g_initable_new(
    GSSDP_TYPE_CLIENT, NULL, &error, "interface", name, "address-family",
    family == AF_INET ? G_SOCKET_FAMILY_IPV4 : G_SOCKET_FAMILY_IPV6, NULL);
  if (!place->client) {
    printf("%s\n", error->message);
    g_clear_error(&error);
    return;
  }
  g_strlcpy(place->name, name, sizeof place->name);
  g_strlcpy(place->address, address, sizeof place->address);
  place->family = family;
  place->browser = gssdp_resource_browser_new(place->client, "upnp:rootdevice");
  g_signal_connect(place->browser, "resource-available", G_CALLBACK(available), GUINT_TO_POINTER(number));
  g_signal_connect(place->browser, "resource-unavailable", G_CALLBACK(unavailable), GUINT_TO_POINTER(number));
  gssdp_resource_browser_set_active(place->browser, TRUE);
}

static void close_place(guint number)
{
  GHashTableIter all;
  gpointer search;
  g_hash_table_iter_init(&all, searches);
  while (g_hash_table_iter_next(&all, NULL, &search)) leave(search, number);
  gssdp_resource_browser_set_active(places[number].browser, FALSE);
  g_clear_object(&places[number].browser);
  g_clear_object(&places[number].client);
}

/* The first address of a family on an interface, for IPv6 a link-local one; FALSE: none. */
static gboolean address_of(struct ifaddrs *list, const char *name, int family, char *address)
{
  for (; list; list = list->ifa_next) {
    if (strcmp(list->ifa_name, name) || !list->ifa_addr || list->ifa_addr->sa_family != family) continue;
    const struct sockaddr_in *four = (const void *)list->ifa_addr;
    const struct sockaddr_in6 *six = (const void *)list->ifa_addr;
    if (family == AF_INET6 && !IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr)) continue;
    inet_ntop(family, family == AF_INET ? (const void *)&four->sin_addr : &six->sin6_addr, address, INET6_ADDRSTRLEN);
    return TRUE;
  }
  return FALSE;
}

/* A client for each interface and family that is there, and none for what is gone. */
static void look_at_interfaces(void)
{
  static const int families[] = {AF_INET, AF_INET6};
  struct ifaddrs *list;
  char name[IF_NAMESIZE], address[INET6_ADDRSTRLEN];
  if (stopped || getifaddrs(&list)) return;
  for (guint i = 0; i < CLIENTS; i++) {
    Place *place = &places[i];
    if (!place->client) continue;
    if (!address_of(list, place->name, place->family, address) || strcmp(address, place->address)) close_place(i);
  }
  for (unsigned index = 1; index < 64; index++)
    for (int i = 0; i < 2 && if_indextoname(index, name); i++) {
      gboolean is_open = FALSE;
      for (guint j = 0; j < CLIENTS; j++)
        is_open |= places[j].client && !strcmp(places[j].name, name) && places[j].family == families[i];
      if (!is_open && address_of(list, name, families[i], address)) open_place(name, families[i], address);
    }
  freeifaddrs(list);
}

static void command(const char *line)
{
  guint number, mx, copies, spacing;
  int interface, target = 0;
  if (sscanf(line, "search %u %u %u %u %d %n", &number, &mx, &copies, &spacing, &interface, &target) >= 5 && target) {
    if (!stopped) begin_search(number, mx, copies, spacing, interface, line + target);
  } else if (sscanf(line, "stop-search %u", &number) == 1) {
    Search *search = g_hash_table_lookup(searches, GUINT_TO_POINTER(number));
    if (!search) return;
    g_source_remove(search->timer);
    end_search(search, "stopped");
  } else if (!strcmp(line, "stop")) {
    stop();
  } else if (!strcmp(line, "interfaces")) {
    look_at_interfaces();
  }
}

static gboolean read_commands(GIOChannel *channel, GIOCondition condition, gpointer data)
{
  char *line;
  (void)condition, (void)data;
  while (g_io_channel_read_line(channel, &line, NULL, NULL, NULL) == G_IO_STATUS_NORMAL) {
    command(g_strchomp(line));
    g_free(line);
  }
  return G_SOURCE_CONTINUE;
}

int main(void)
{
  searches = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
  resources = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  look_at_interfaces();
  GIOChannel *input = g_io_channel_unix_new(STDIN_FILENO);
  g_io_channel_set_flags(input, G_IO_FLAG_NONBLOCK, NULL);
  g_io_add_watch(input, G_IO_IN, read_commands, NULL);
  g_main_loop_run(g_main_loop_new(NULL, FALSE));
}
