// The routes of the dashboard's pages, and the frame around them.
import { Suspense } from "react";
import { Link, Route, Switch, useLocation } from "wouter";
import { lazyChunk } from "./chunks.ts";
import { SessionProvider } from "./session.tsx";
import { Shell } from "./shell.tsx";
import { PageBoundary } from "./ui/broken.tsx";
import { Page } from "./ui/page.tsx";
import { Loading } from "./ui/states.tsx";

const Home = lazyChunk(async () => (await import("./home/home.tsx")).Home, /^\/$/);
const Compose = lazyChunk(async () => (await import("./compose/compose.tsx")).Compose, /^\/compose$/);
const Posts = lazyChunk(async () => (await import("./pages/posts.tsx")).Posts, /^\/posts$/);
const PostPage = lazyChunk(async () => (await import("./pages/post.tsx")).PostPage, /^\/posts\/./);
const Channels = lazyChunk(async () => (await import("./pages/channels.tsx")).Channels, /^\/channels$/);
const Calendar = lazyChunk(async () => (await import("./pages/calendar.tsx")).Calendar, /^\/calendar$/);
const Inbox = lazyChunk(async () => (await import("./inbox/inbox.tsx")).Inbox, /^\/activity$/);
const Library = lazyChunk(async () => (await import("./pages/media.tsx")).Library, /^\/media$/);
const Analytics = lazyChunk(async () => (await import("./pages/analytics.tsx")).Analytics, /^\/analytics$/);
const Approvals = lazyChunk(async () => (await import("./pages/approvals.tsx")).Approvals, /^\/approvals$/);
const Slots = lazyChunk(async () => (await import("./pages/slots.tsx")).Slots, /^\/slots$/);
const Import = lazyChunk(async () => (await import("./import/import.tsx")).Import, /^\/import$/);
const Settings = lazyChunk(async () => (await import("./pages/settings.tsx")).Settings, /^\/settings\/./);

export function App() {
  return (
    <SessionProvider>
      <Shell>
        <Pages />
      </Shell>
    </SessionProvider>
  );
}

function Pages() {
  const [path] = useLocation();
  return (
    <PageBoundary key={path}>
      <Suspense fallback={<Loading what="The page" />}>
        <Switch>
          <Route path="/" component={Home} />
          <Route path="/compose" component={Compose} />
          <Route path="/posts" component={Posts} />
          <Route path="/posts/:id">{({ id }) => <PostPage key={id} id={id} />}</Route>
          <Route path="/channels" component={Channels} />
          <Route path="/calendar" component={Calendar} />
          <Route path="/activity" component={Inbox} />
          <Route path="/media" component={Library} />
          <Route path="/analytics" component={Analytics} />
          <Route path="/approvals" component={Approvals} />
          <Route path="/slots" component={Slots} />
          <Route path="/import" component={Import} />
          <Route path="/settings/:part">{({ part }) => <Settings key={part} part={part} />}</Route>
          <Route>
            <Page title="Not found">
              <p>
                There is no page at this address. <Link href="/">Go to the start page</Link>
              </p>
            </Page>
          </Route>
        </Switch>
      </Suspense>
    </PageBoundary>
  );
}
