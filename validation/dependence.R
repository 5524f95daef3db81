# Dependent effects by metafor and clubSandwich, for tests/golden/dependence.json.
#
#   Rscript validation/dependence.R tests/golden/dependence.json
#
# needs R with the packages metafor, clubSandwich and jsonlite (Debian: r-cran-metafor, r-cran-clubsandwich,
# r-cran-jsonlite). Effects of random worlds are pooled with their covariance matrix (rma.mv) or with variances alone
# (rma.uni); each pooled mean has the variance CR2 over clusters, with Satterthwaite's degrees of freedom.

for (package in c("metafor", "clubSandwich", "jsonlite"))
  if (!suppressPackageStartupMessages(require(package, character.only = TRUE, quietly = TRUE)))
    stop("install the R package ", package, ", for example install.packages('", package, "')")

set.seed(18)
# metafor's maximum of the restricted likelihood, with the digits that its optimiser leaves: it stops where the
# likelihood does not change, and that is half of the digits of its argument. The slope has the others.
fitted_mv <- function(one, tasks) {
  told <- function(...) rma.mv(one$y, one$covariance, random = ~ 1 | task, method = "REML", data = tasks, test = "t", ...)
  near <- told()$sigma2
  slope <- function(tau2) {
    w <- solve(one$covariance + tau2 * diag(one$k))
    p <- w - w %*% matrix(1, one$k, one$k) %*% w / sum(w)
    sum((p %*% one$y)^2) - sum(diag(p))
  }
  if (near < 1e-4 && slope(0) <= 0) return(told(sigma2 = 0))
  told(sigma2 = uniroot(slope, near * c(0.99, 1.01), tol = 1e-15 * near, extendInt = "downX", maxiter = 10000)$root)
}

# Tasks in clusters: of random sizes, one that has nearly all, or each alone.
clusters_of <- function(k, form) {
  cluster <- switch(form,
    random = sample.int(max(2, sample.int(k, 1)), k, replace = TRUE),
    pairs = rep(seq_len(ceiling(k / 2)), each = 2, length.out = k),
    big = c(rep(1, k - 2), 2, 3),
    alone = seq_len(k))
  if (length(unique(cluster)) < 2) cluster[1] <- max(cluster) + 1
  as.integer(factor(cluster))
}

# Effects inside a cluster correlate, each pair in its own way.
world <- function(k, form, tau2, ratio) {
  cluster <- clusters_of(k, form)
  v <- exp(runif(k, 0, log(ratio)))
  r <- matrix(0, k, k)
  for (g in unique(cluster)) {
    here <- which(cluster == g)
    loadings <- matrix(rnorm(length(here) * 3), ncol = 3) * 0.5 + 0.7
    r[here, here] <- loadings %*% t(loadings) + diag(length(here)) * runif(1, 0.3, 2)
  }
  covariance <- cov2cor(r) * sqrt(v %o% v)
  y <- as.vector(t(chol(covariance)) %*% rnorm(k)) + rnorm(k, 0.4, sqrt(tau2))
  list(k = k, form = form, cluster = cluster, y = y, covariance = covariance)
}

robust <- function(fit, cluster, confidence = 0.95) {
  found <- coef_test(fit, vcov = vcovCR(fit, cluster = cluster, type = "CR2"), test = "Satterthwaite")
  df <- if (is.null(found$df_Satt)) found$df else found$df_Satt
  reach <- qt((1 + confidence) / 2, df) * found$SE
  list(se = found$SE, df = df, p = found$p_Satt, low = found$beta - reach, high = found$beta + reach)
}

full <- function(one) {
  tasks <- data.frame(task = seq_len(one$k), cluster = one$cluster)
  fit <- fitted_mv(one, tasks)
  list(method = "REML", estimate = as.vector(fit$beta), se = fit$se, tau2 = fit$sigma2, q = fit$QE, q_p = fit$QEp,
       low = fit$ci.lb, high = fit$ci.ub, p = fit$pval, robust = robust(fit, one$cluster),
       weight = as.vector(weights(fit, type = "rowsum")) / 100)
}

alone <- function(one, method) {
  fit <- rma.uni(one$y, diag(one$covariance), method = method, control = list(threshold = 1e-13, maxiter = 10000, tol = 1e-14))
  list(method = method, estimate = as.vector(fit$beta), se = fit$se, tau2 = fit$tau2, robust = robust(fit, one$cluster))
}

forms <- c("random", "pairs", "big", "alone")
sizes <- c(3, 4, 5, 7, 10, 15, 25, 40)
worlds <- list()
for (k in sizes) for (form in forms) for (tau2 in c(0, 1)) {
  one <- world(k, form, tau2, ratio = sample(c(1, 10, 100), 1))
  one$full <- full(one)
  one$alone <- lapply(c("REML", "DL", "PM", "EE"), function(method) alone(one, method))
  worlds[[length(worlds) + 1]] <- one
}

versions <- list(R = R.version.string, metafor = as.character(packageVersion("metafor")),
                 clubSandwich = as.character(packageVersion("clubSandwich")))
arguments <- commandArgs(trailingOnly = TRUE)
write(toJSON(list(made_by = "validation/dependence.R", versions = versions, worlds = worlds), digits = 12, auto_unbox = TRUE),
      if (length(arguments)) arguments[1] else stdout())
