/* A small control point over libgssdp, as an application would write it: what the library tells is printed, and searches are
 * asked for on standard input. It knows nothing of virtual time; printed-lines.c makes frames of its lines.
 *
 *   search 1 3 2 3000 ssdp:all    number, MX, how often, milliseconds from one to the next, target
 *   stop-search 1
 *   stop
 */
#include <libgssdp/gssdp.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CLIENTS = 16 };

typedef struct {
  guint number;
  GHashTable *heard;
  GSSDPResourceBrowser *browsers[CLIENTS];
  guint timer;
} Search;

/* One for each interface and family. */
static GSSDPClient *clients[CLIENTS];
static GSSDPResourceBrowser *browsers[CLIENTS];
static guint client_count;
static GHashTable *searches;

static void available(GSSDPResourceBrowser *browser, const char *usn, GList *locations, gpointer data)
{
  (void)browser, (void)data;
  printf("resource available\n  USN:      %s\n  Location: %s\n", usn, locations ? (char *)locations->data : "");
}

static void unavailable(GSSDPResourceBrowser *browser, const char *usn, gpointer data)
{
  (void)browser, (void)data;
  printf("resource unavailable\n  USN:      %s\n", usn);
}

static void heard(GSSDPResourceBrowser *browser, const char *usn, GList *locations, gpointer data)
{
  Search *search = data;
  (void)browser;
  if (!g_hash_table_add(search->heard, g_strdup(usn))) return;
  printf("search %u heard\n  USN:      %s\n  Location: %s\n", search->number, usn, locations ? (char *)locations->data : "");
}

static void end_search(Search *search, const char *how)
{
  for (guint i = 0; i < client_count; i++) {
    g_signal_handlers_disconnect_by_data(search->browsers[i], search);
    g_object_unref(search->browsers[i]);
  }
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
static void begin_search(guint number, guint mx, guint copies, guint spacing, const char *target)
{
  if (!*target || mx == 0 || mx > 120 || g_hash_table_contains(searches, GUINT_TO_POINTER(number))) {
    printf("a search that is not possible: %u\n", number);
    return;
  }
  Search *search = g_new0(Search, 1);
  search->number = number;
  search->heard = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_hash_table_insert(searches, GUINT_TO_POINTER(number), search);
  for (guint i = 0; i < client_count; i++) {
    GSSDPResourceBrowser *browser = search->browsers[i] = gssdp_resource_browser_new(clients[i], target);
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
  for (guint i = 0; i < client_count; i++) gssdp_resource_browser_set_active(browsers[i], FALSE);
}

static void command(const char *line)
{
  guint number, mx, copies, spacing;
  int target = 0;
  if (sscanf(line, "search %u %u %u %u %n", &number, &mx, &copies, &spacing, &target) >= 4 && target) {
    begin_search(number, mx, copies, spacing, line + target);
  } else if (sscanf(line, "stop-search %u", &number) == 1) {
    Search *search = g_hash_table_lookup(searches, GUINT_TO_POINTER(number));
    if (!search) return;
    g_source_remove(search->timer);
    end_search(search, "stopped");
  } else if (!strcmp(line, "stop")) {
    stop();
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

static void open_client(const char *interface, GSocketFamily family)
{
  GError *error = NULL;
  if (client_count == CLIENTS) return;
  GSSDPClient *client = g_initable_new(
    GSSDP_TYPE_CLIENT, NULL, &error, "interface", interface, "address-family", family, NULL);
  if (!client) {
    g_clear_error(&error); /* This interface has no address of this family. */
    return;
  }
  GSSDPResourceBrowser *browser = gssdp_resource_browser_new(client, "upnp:rootdevice");
  g_signal_connect(browser, "resource-available", G_CALLBACK(available), NULL);
  g_signal_connect(browser, "resource-unavailable", G_CALLBACK(unavailable), NULL);
  gssdp_resource_browser_set_active(browser, TRUE);
  clients[client_count] = client;
  browsers[client_count++] = browser;
}

int main(void)
{
  char name[IF_NAMESIZE];
  searches = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
  for (unsigned index = 1; index < 64; index++)
    if (if_indextoname(index, name)) {
      open_client(name, G_SOCKET_FAMILY_IPV4);
      open_client(name, G_SOCKET_FAMILY_IPV6);
    }
  GIOChannel *input = g_io_channel_unix_new(STDIN_FILENO);
  g_io_channel_set_flags(input, G_IO_FLAG_NONBLOCK, NULL);
  g_io_add_watch(input, G_IO_IN, read_commands, NULL);
  g_main_loop_run(g_main_loop_new(NULL, FALSE));
}
